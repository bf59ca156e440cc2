import type { LineCitation } from '../../model/citation.ts';
import { hasRole } from '../../model/signature-roles.ts';
import { goesOn } from '../../read/log/signs-of-work.ts';
import type { Weighed, Weighing } from './weigh.ts';

const WARNS = /\bWARN(?:ING)?\b|\b(?:Future|User)Warning: /;

/** Says of a line whether it is a warning that did not keep the engine from working: it is seen at work below. */
export function warnedInPassing({ all }: { readonly all: readonly Weighed[] }): (line: LineCitation) => boolean {
  const worked = Math.max(0, ...all.filter(({ signature }) => goesOn(signature)).map(({ hit }) => hit.line));
  return ({ line, text }) => line < worked && WARNS.test(text);
}

const ROUND =
  /\b(?:fall(?:s|ing)? ?back|ignor(?:ed|ing)|skipp(?:ed|ing)|us(?:e|ing) [^\n]{1,60} instead|using [^\n]{0,20}default|using (?:un)?(?:pinned|pageable)|disabl(?:ed|ing)|still works?|(?:will|may|might|can|could) (?:be )?(?:synchronous|slow|degrad)\w*|pin_memory=False)\b/i;

// Pages that a warning says could not be locked or registered are taken as ordinary ones; who needs them raises.
const UNPINNED = /\bpin[_ -]?memory\b|\bpinned (?:host )?(?:memory|alloc\w*)|Host_?(?:Un)?register\b/i;
const REFUSED =
  /out of memory|not enough|insufficient|(?:cannot|could not|unable to|failed to) alloc|null pointer|\bENOMEM\b|Error: /i;

/** Whether a line is a warning that says what is done in its place, or one after which that is known. */
export function goesRound(text: string): boolean {
  const warning = WARNS.exec(text);
  if (warning === null) return false;
  const said = text.slice(warning.index);
  return ROUND.test(said) || (UNPINNED.test(said) && !REFUSED.test(said));
}

const DATED = /^(?:startup|burst)$/;

/**
 * Lines that decide nothing, by number: wrappers, lists of guesses, boilerplate. Progress, which tells a time of life, is
 * often drawn in front of a line of another writer, and has its say.
 */
export function linesOfNoWeight({ all, above }: Pick<Weighing, 'all' | 'above'>): ReadonlySet<number> {
  const mute = [...above, ...all].filter(
    ({ signature }) =>
      hasRole(signature, 'retries') ||
      (signature.weight === 'context' && !DATED.test(signature.phase) && !hasRole(signature, 'log-head')),
  );
  return new Set(mute.map(({ hit }) => hit.line));
}
