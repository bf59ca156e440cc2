import type { Budget, ProfileBudget, StartAnswer } from '../model/budget.ts';
import { type Block, code } from '../model/message.ts';
import { clip, list, paragraph } from './words/sentence.ts';

const NAME = 40;
const LONGEST = 300;

/** What each profile would set and whether the engine starts with it; a requested one with its reasons. */
export function profileBlocks({ profiles, profile, fixed, now }: Budget): Block[] {
  if (fixed !== undefined) return [paragraph(`No profiles: ${clip(fixed, LONGEST)}.`)];
  if (profiles.length === 0) {
    return profile === undefined ? [] : [paragraph(`There is no ${clip(profile, NAME)} profile for this engine.`)];
  }
  const asked = profiles.find(({ name }) => name === profile);
  if (asked !== undefined) return reasonBlocks(asked);
  const items = profiles.map((one) => [
    code(clip(one.name, NAME)),
    `: ${clip(`${settings(one)}${startWords(one, now.start)}`, LONGEST)}`,
  ]);
  return list('Profiles', items);
}

function settings({ edits, start }: ProfileBudget): string {
  if (edits.length > 0) return edits.map(({ flag, to }) => `${flag} ${to ?? ''}`.trim()).join(', ');
  return start.kind === 'refuses' ? 'no change' : 'no change (current values are safer or unknown)';
}

function startWords({ edits, start }: ProfileBudget, now: StartAnswer): string {
  const isSame = start.kind === 'refuses' && now.kind === 'refuses' && start.why === now.why;
  if (isSame) return ' (would not start either)';
  if (start.kind === 'refuses') return ` (would not start: ${start.why})`;
  if (edits.length === 0) return '';
  if (start.doubt !== undefined) return ' (may not start)';
  return start.proven ? ' (starts)' : ' (startup unknown)';
}

function reasonBlocks(asked: ProfileBudget): Block[] {
  const { name, says, edits, start, sum } = asked;
  const title = `Profile ${clip(name, NAME)}: ${clip(says, LONGEST)}`;
  if (edits.length === 0) {
    const why =
      start.kind === 'refuses'
        ? `Not applied: ${start.why}.${start.why.includes(sum) ? '' : ` Budget: ${sum}.`}`
        : 'No change.';
    return [paragraph(`${title}. ${clip(why, LONGEST)}`), ...leftBlocks(asked)];
  }
  const items = edits.map(({ flag, to, why }) => [code(`${flag} ${to ?? ''}`), `: ${clip(why, LONGEST)}`]);
  return [...list(title, items), ...leftBlocks(asked)];
}

function leftBlocks({ left }: ProfileBudget): Block[] {
  const items = left.map(({ flag, why }) => [code(flag), `: ${clip(why, LONGEST)}`]);
  return list('Unchanged', items);
}
