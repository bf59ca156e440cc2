import { engineName } from '../../model/engine-names.ts';
import { bold } from '../../model/message.ts';
import type { OfferedProfile } from '../../model/verdict.ts';
import { clip, type Words } from './sentence.ts';

const LONGEST = 500;

/** The profile beside what is offered now, with its values as they fit, or that the engine would start with none. */
export function profileItem(profile: OfferedProfile): Words {
  // That none would start is nothing to do.
  if (profile.kind === 'none-starts') return [clip(refusedWords(profile), LONGEST)];
  return [bold('Now: '), clip(fittedWords(profile), LONGEST)];
}

function fittedWords(profile: Extract<OfferedProfile, { kind: 'fitted' }>): string {
  const values = profile.edits
    .map(({ flag, from, to }) => `${flag}${from === null ? '' : ` ${from} →`} ${to ?? 'removed'}`)
    .join(', ');
  // Of a profile nothing but the fraction is ever raised.
  const raises = profile.edits.some(({ from, to }) => from !== null && Number(to) > Number(from));
  const alone = raises ? ', if nothing else uses the card' : '';
  const start = profile.proven ? 'by the sums the engine starts with it' : 'whether it starts cannot be told';
  return `Or the profile ${profile.name} for ${forWhat(profile)}: ${values}${alone}; ${start} (--profile=${profile.name}).`;
}

function refusedWords(profile: Extract<OfferedProfile, { kind: 'none-starts' }>): string {
  const { name, why, sum } = profile;
  const from = why.includes(sum) ? '' : `. The sum: ${sum}`;
  return `None of the ready-made profiles for ${forWhat(profile)} would start here, by the sums. The ${name} one: ${why}${from}.`;
}

function forWhat({ engine, version, product, class: size }: OfferedProfile): string {
  const what = [product, classWords(size)].filter((part) => part !== null).join(', ');
  return `${engineName(engine)} ${version ?? 'of unknown version'}${what === '' ? '' : ` on ${what}`}`;
}

// Null where the values are those of every card.
function classWords(size: OfferedProfile['class']): string | null {
  if (size === null) return 'a card of unknown memory';
  const { from, below } = size;
  if (below === null) return from === 0 ? null : `a card of ${from} GiB and more`;
  return from === 0 ? `a card below ${below} GiB` : `a card of ${from} to ${below} GiB`;
}
