import type { LineCitation } from '../../model/citation.ts';
import type { Stage } from '../../model/guess-words.ts';
import { cleanLine } from '../../read/log/clean-line.ts';
import { anyOf } from '../../read/text/patterns.ts';

/** `ValueError: text`, `torch.distributed.DistBackendError: text`: the type and what it says. */
export const EXCEPTION = /^\s*(?:[\w.]{1,80}\.)?((?:[A-Za-z]\w{0,60})?(?:Error|Exception|Fault))(?::\s*(.*))?$/;

// `ERROR 07-10 10:00:00 [core.py:717] `, `[2026-07-10 10:00:00 TP0] `, `ERROR:    `, a bullet of a list.
const HEAD =
  /^(?:(?:DEBUG|INFO|WARNING|ERROR|CRITICAL):? {1,8}(?:\d{2}-\d{2} [\d:.,]{1,20} )?(?:\[?[\w./-]{1,80}:\d{1,6}\] ?)?|\[\d{4}-[^\]]{1,60}\] ?)/;

/** A line without the head of its logger. */
export function headless(text: string): string {
  return cleanLine(text).clean.replace(HEAD, '');
}

// `File "x.py", line 12`, `File /x.py:12` and `/x.py in forward(` of older notebooks.
const FRAME_START =
  /\bFile (?:"[^"]{1,300}", line|\/\S{1,300}:)|^[^"\s]{1,300}\.py", line \d|^[~/]\S{0,300}\.py in \w{1,120}\(/;

/** Whether a line is a frame of a Python traceback. */
export function isFrame(text: string): boolean {
  return unboxed([cleanLine(text).clean]).some((line) => FRAME_START.test(line));
}

/**
 * `File "/path/model.py", line 12, in forward` of Python, `File /path/model.py:12, in Model.forward(self)` of notebooks and
 * `/path/model.py in forward(self)` of older ones (ipython IPython/core/ultratb.py); of a C++ or Rust trace no names survive
 * inlining.
 */
export const FRAME = anyOf(
  '',
  /File "(?<file>[^"]{1,300})", line \d{1,7}(?:, in (?<name>[\w.<>]{1,120}))?/,
  /File (?<cell>\/\S{1,300}):\d{1,7}, in (?:\w{1,120}\.)?(?<method>\w{1,120})\(/,
  /^(?<old>[~/]\S{0,300}\.py) in (?<def>\w{1,120})\(/,
);

/** A forward pass, on whatever it runs. */
export const FORWARD = /^_?forward(?:_(?:cuda|native|hip|impl|npu|xpu))?$|^__call__$/;

/** The function of a frame; empty where it is cut away. */
export function nameOf(groups: RegExpExecArray['groups']): string {
  return groups?.name ?? groups?.method ?? groups?.def ?? '';
}

/** The file of a frame; empty where the line is none. */
export function fileOf(groups: RegExpExecArray['groups']): string {
  return groups?.file ?? groups?.cell ?? groups?.old ?? '';
}

// `│ /usr/src/server/models/x.py:94 in __init__   │`, as rich draws tracebacks (Textualize/rich rich/traceback.py; TGI, typer).
const BOXED = /^\s{0,8}│ (.*?)\s{0,300}│?\s{0,8}$/;
const BOXED_FRAME = /^((?:\/\S{1,300}|[\w.-]{1,120})\.py):(\d{1,7}) in ([\w.<>]{1,120})$/;
// A path longer than the box goes over to the next line, wherever that cuts it.
const HALF = /^\/\S{20,300}$/;
const CALLED = /^❱ {0,8}\d{1,7} │[\s│]*(.*)$/;

/** The lines of a log as the interpreter would print them where they stand in a box: frames and calls; the code around a call is blank. */
export function unboxed(texts: readonly string[]): readonly string[] {
  let half = '';
  return texts.map((text) => {
    const inner = BOXED.exec(text)?.[1];
    const whole = inner === undefined ? undefined : `${half}${inner}`;
    half = '';
    if (inner === undefined || whole === undefined) return text;
    if (BOXED_FRAME.test(whole)) return whole.replace(BOXED_FRAME, '  File "$1", line $2, in $3');
    if (HALF.test(inner)) half = inner;
    const call = CALLED.exec(inner)?.[1];
    return call === undefined ? '' : `    ${call}`;
  });
}

export type Frame = {
  readonly stage: Stage;
  /** Whatever it calls, the engine has been serving: weights, adapters and graphs are then allocated again. */
  readonly serves: boolean;
  readonly from: LineCitation;
};

const STARTING: ReadonlySet<Stage> = new Set(['device', 'load', 'profile', 'buffers', 'kv-cache', 'graph-capture']);

/** Whether a stage belongs to the start of an engine. */
export function isStarting(stage: Stage): boolean {
  return STARTING.has(stage);
}
