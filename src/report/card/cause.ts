import type { Facts } from '../../model/fact.ts';
import { capital } from '../../model/format-value.ts';
import type { Diagnosis, Remedy } from '../../model/verdict.ts';
import { mostWanted } from '../words/confidence.ts';
import { isBareKill, unexplainedKill } from '../words/container-end.ts';
import { deadEngineCause, isEngineDead } from '../words/dead-engine.ts';
import { clip, sentencesOf, toLastWord } from '../words/sentence.ts';
import { atMinute, causeWords, endsOf } from '../words/verdict-words.ts';

// Two lines of a terminal of 100 columns, behind their label.
const CAUSE = 180;
const ACTION = 180;

/** The likely cause and the figure that proves it: as many of its sentences as fit. */
export function causeLine(diagnosis: Diagnosis, facts: Facts): string {
  const { says, verdict } = diagnosis;
  const first = firstCause(diagnosis, facts);
  if (first !== undefined) return whole([first, ...(verdict.plane === 'gpu' ? sentencesOf(says) : [])], CAUSE);
  const ends = endsOf(verdict, facts, atMinute);
  if (ends !== undefined) return whole([`${capital(ends)}.`, ...sentencesOf(says)], CAUSE);
  return whole([...openingOf(diagnosis, facts), ...sentencesOf(says)], CAUSE);
}

/** What comes before the finding's own cause: the death of an engine whose pod is still Ready, or a recent change. */
export function firstCause(diagnosis: Diagnosis, facts: Facts): string | undefined {
  return deadEngineCause(diagnosis, facts) ?? diagnosis.change?.says;
}

/** What comes before the text of a finding: its cause, unless the text names it, or a kill whose sender is unknown. */
export function openingOf(diagnosis: Diagnosis, facts: Facts): readonly string[] {
  const kill = unexplainedKill(diagnosis, facts);
  if (kill !== undefined) return [kill];
  return isSaid(diagnosis) ? [] : [nameOf(diagnosis)];
}

/** The cause in a sentence without figures. */
export function nameOf({ headline, verdict }: Pick<Diagnosis, 'headline' | 'verdict'>): string {
  return `${headline ?? capital(causeWords(verdict.cause))}.`;
}

/** Whether the headline or the first sentence already names the cause. */
export function isSaid({ headline, says, verdict }: Diagnosis): boolean {
  return (verdict.plane === 'none' && verdict.certain) || opensAlike(nameOf({ headline, verdict }), says);
}

/** The evidence that would decide the cause. */
export function missingWords({ verdict, says }: Diagnosis): string {
  const missing = mostWanted(verdict.notRuledOut);
  return missing.length === 0 ? whole(sentencesOf(says), CAUSE) : clip(`${missing.slice(0, 2).join('; ')}.`, CAUSE);
}

/**
 * What to do first: the mitigation with its change, or where there is none what to look at, or the lasting fix. Where
 * nothing but a kill is known, what to look at comes first.
 */
export function actionWords(diagnosis: Diagnosis, facts: Facts): string | undefined {
  const { verdict, next } = diagnosis;
  const of = (kind: Remedy['kind']) => verdict.remedies.filter((remedy) => remedy.kind === kind);
  const [first, second] = of('stop-bleed').map(remedyWords);
  const [look] = next;
  const looksFirst = look !== undefined && isBareKill(diagnosis, facts);
  if (first !== undefined && !looksFirst) {
    const both = second === undefined ? first : `${first} ${linkTo(second, facts)}${second.replace(/^Or /, '')}`;
    // Of two memories the other one comes second.
    const whole = verdict.plane === 'both' && look !== undefined ? `${first} ${look}` : both;
    return [...whole].length <= ACTION ? whole : first;
  }
  const lasting = of('lasting')[0];
  if (look !== undefined) return whole(sentencesOf(look), ACTION);
  return lasting === undefined ? undefined : remedyWords(lasting);
}

// A dead engine that is started again fails again of the same. A warning is no other way out.
function linkTo(second: string, facts: Facts): string {
  if (second.startsWith('Do not ')) return '';
  return isEngineDead(facts) ? 'Then: ' : 'Or: ';
}

function remedyWords({ says, edits }: Remedy): string {
  const changes = edits.map(({ flag, from, to }) => `${flag} ${from === null ? '' : `${from} → `}${to ?? 'removed'}`);
  if (changes.length === 0) return whole(sentencesOf(says), ACTION);
  const change = clip(changes.join(', '), ACTION / 2);
  // Its first sentence says the same in words.
  return whole([`Set ${change}.`, ...sentencesOf(says).slice(1)], ACTION);
}

// The first is cut where it alone is too long.
function whole(sentences: readonly string[], length: number): string {
  const [first = '', ...rest] = sentences;
  let text = [...first].length > length ? `${toLastWord(clip(first, length - 1).slice(0, -1))}…` : first;
  for (const sentence of rest) {
    if ([...text].length + [...sentence].length + 1 > length) break;
    text = `${text} ${sentence}`;
  }
  return text;
}

// `RAM ran out at startup` says nothing that `RAM ran out before the engine was ready` does not.
function opensAlike(headline: string, says: string): boolean {
  const head = (text: string) => text.toLowerCase().split(/\W+/, 3).join(' ');
  return head(headline) === head(says);
}
