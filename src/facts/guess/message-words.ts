import type { LineCitation } from '../../model/citation.ts';
import { cleanLine } from '../../read/log/clean-line.ts';
import { findMasks } from '../../read/log/mask.ts';
import { anyOf } from '../../read/text/patterns.ts';
import { goesRound } from '../evidence/ignored-lines.ts';
import { headless, isEcho, isFrame } from '../evidence/raised-exception.ts';
import { NOT_KILLED, OWN_FIGURES } from './shortage-words.ts';

/** What a line says itself, with and without the head of its error; quiet if it tells of work, mute if it is code or an echo. */
export type Own = {
  readonly text: string;
  readonly said: string;
  readonly quiet: boolean;
  readonly mute: boolean;
  readonly from: LineCitation;
};

// What an engine reports in the course of its work: its words name parts, and no failure.
const QUIET = anyOf(
  '',
  /\b(?:INFO|DEBUG|TRACE|level=(?:INFO|DEBUG|info|debug))\b|^[ID]\d{4} |\[[IW] ?\d{3,4} [\d:.]{8,20} /,
  /^\d{1,3}\.\d{2}\.\d{3}\.\d{3} [ID] |\bresource_tracker: |(?:^|\) )[NRH]CCL version \d[\w.:+-]{1,60}$/,
  /\[Gloo\] Rank \d{1,6} is connected to \d/,
);
// The name of a source file in the head of a line of Triton's (glog): whose line it is, and not what it says.
const SOURCE = /^[EWIF]\d{4} [\d:.]{8,20} {1,4}\d{1,9} [\w.-]{1,80}:\d{1,6}\] /;

/** The words of each line that are its own: neither a prompt, nor an echo of another, nor a figure of the engine. */
export function readOwn(
  lines: readonly LineCitation[],
  ofNoWeight: ReadonlySet<number>,
  passed: (line: LineCitation) => boolean,
): readonly Own[] {
  let below = false;
  return lines.map((from) => {
    const { promptAt, echoAt } = findMasks(from.text);
    const own = from.text.slice(0, Math.min(promptAt, echoAt));
    const text = withoutFigures(cleanLine(own).clean).replace(SOURCE, '').replaceAll(NOT_KILLED, '');
    const frame = isFrame(text);
    const mute = frame || below || isEcho(text) || ofNoWeight.has(from.line);
    below = frame;
    const quiet = QUIET.test(from.text) || goesRound(from.text) || passed(from);
    return {
      text,
      said: withoutFigures(headless(own)).replace(SOURCE, '').replaceAll(NOT_KILLED, ''),
      quiet,
      mute,
      from,
    };
  });
}

function withoutFigures(own: string): string {
  return own.slice(0, OWN_FIGURES.exec(own)?.index);
}
