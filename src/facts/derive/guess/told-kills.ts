import type { Fact } from '../../../model/fact.ts';
import { known } from '../../pod/finding.ts';
import { anyOf } from '../../text/patterns.ts';
import type { Group } from '../draft.ts';
import type { Evidence } from '../evidence.ts';
import { toldLines } from '../growth/growth-noted.ts';
import { isElsewhere, withoutDenials } from './denials.ts';
import { says } from './no-memory/speech.ts';
import { readAccountOf, type Told } from './told/account.ts';

// A kill for want of memory by name of who does it: what is killed by somebody else, or at a bound, is told otherwise.
const KILLS = anyOf(
  'i',
  /\b(?:kernel|node|system|global)(?:['’]s|-level)? (?:logs? )?OOM[- ]?kill(?:s|ed|er)?\b/,
  /\bOOM[- ]?kill(?:s|ed)\b[^.;|\n]{0,24}\b(?:by|of|in|from) the kernel\b/,
  /\bkilled by the (?:kernel|(?:kernel['’]s )?OOM[- ]?killer)\b|\bkernel (?:kills|killed)\b/,
);
const TIMES = /\b\d{1,2}:\d{2}(?::\d{2})?Z?\b/g;
const COUNTED = /\b(\d{1,3}|two|three|four|five|six)\s(?:kernel|node|system|global|OOM)\b/i;
const WORDS: Readonly<Record<string, number>> = { two: 2, three: 3, four: 4, five: 5, six: 6 };

// What was another before: its image, its version, what rolls it out.
const CHANGED = anyOf(
  'i',
  /\b(?:before|after|since|with) (?:the |an? |that |this )?(?:[\w.-]+ )?(?:bump|upgrade|update|roll-?out)\b/,
  /\b(?:before|after|since|with) (?:the |an? )?new (?:ReplicaSet|revision|image|version|release|build|chart)\b/,
);

// How a growth ended, in the words of who watched it.
const RAN_OUT = anyOf(
  'i',
  /\b(?:runs?|ran|running) out of (?:host |system )?(?:memory|RAM)\b/,
  /\b(?:reach(?:es|ed|ing)?|hits?|goes (?:up )?to) (?:almost |nearly |about |close to )?(?:100|9[5-9]) ?%/,
);

/** Kills by the kernel that people noted beside the log, that memory ran out, and the change that they noted before the failure. */
export function deriveToldKills(evidence: Evidence): Group {
  const { prose, rows } = readAccountOf(evidence);
  const notes = [...prose, ...rows.filter(({ from }) => from.file === 'metrics.txt')].filter(
    ({ text }) => !isElsewhere(text),
  );
  const kill = notes.find(({ text }) => says(withoutDenials(text), KILLS));
  const change = notes.find(({ text }) => says(text, CHANGED));
  const ranOut = toldLines(evidence).find(({ text }) => !isElsewhere(text) && says(withoutDenials(text), RAN_OUT));
  return {
    'log.ran-out-told': ranOut && known(true, ranOut.from),
    'log.kills-told': kill && countOf(kill),
    'log.change-noted': change && known(true, change.from),
  };
}

function countOf({ text, from }: Told): Fact {
  const counted = COUNTED.exec(text)?.[1]?.toLowerCase() ?? '';
  const times = text.match(TIMES)?.length ?? 1;
  return known(WORDS[counted] ?? (Number(counted) || times), from);
}
