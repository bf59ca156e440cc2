import type { Citation } from '../../model/citation.ts';
import type { LogReading } from '../../model/log-reading.ts';
import { anyOf } from '../../read/text/patterns.ts';
import { type ExceptionKind, kindOf } from './exception-kind.ts';
import { headless } from './raised-exception.ts';
import { tailLines } from './tail-lines.ts';

type Raised = { readonly type: string; readonly message: string; readonly from: Citation };

const CHECK = /^\s*assert (\S.*)$/;
// `assert x, "words"`: then it is the words that tell.
const HAS_WORDS = /, ?\(?[fr]?["']/;
// A frame takes two lines and a third that marks the place; a check may go over several.
const LINES = 5;
// What is checked is what somebody asked for: a setting, how the engine is spread, or whether the model is of a kind that it knows.
const OF_SETTINGS = anyOf(
  'i',
  /%|\b(?:args|opts?|\w*config)\b|parallel|world_size|\b[tpde]{1,2}p?_(?:size|rank)\b/,
  /num_(?:gpus|\w*heads|\w*layers|experts)|quant|dtype|backend|platform|capability|isinstance|support/,
  /enable|\bpath\b|exists\(/,
);

/**
 * What an error is about. An assertion without words is the engine's check of itself: who wrote it expected nobody to meet
 * it, whatever was set, unless what it compares is a setting.
 */
export function kindOfRaised(seen: Raised, log: LogReading | undefined): ExceptionKind {
  const kind = kindOf(seen);
  if (seen.type !== 'AssertionError' || kind !== 'config') return kind;
  const check = checkOf(seen, log);
  return check === undefined || HAS_WORDS.test(check) || OF_SETTINGS.test(check) ? kind : 'other';
}

// The words of an assertion stand behind its type; without any it is the line of the check that tells.
function checkOf({ message, from }: Raised, log: LogReading | undefined): string | undefined {
  if (from.kind !== 'line') return undefined;
  if (CHECK.test(headless(from.text))) return message;
  if (message !== '' || log === undefined) return undefined;
  const above = tailLines(log).filter(({ line }) => line < from.line && from.line - line <= LINES);
  return above.map(({ text }) => CHECK.exec(headless(text))?.[1]).findLast((check) => check !== undefined);
}
