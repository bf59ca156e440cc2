import type { LineCitation } from '../../model/citation.ts';
import { anyOf } from '../../read/text/patterns.ts';

export type Stage =
  | 'device'
  | 'wake'
  | 'load'
  | 'profile'
  | 'buffers'
  | 'kv-cache'
  | 'graph-capture'
  | 'execute'
  | 'sampler'
  | 'encoder';

export type Frame = {
  readonly stage: Stage;
  /** Whatever it calls, the engine has been serving: weights, adapters and graphs are then taken anew. */
  readonly serves: boolean;
  readonly from: LineCitation;
};

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
