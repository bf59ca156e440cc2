import type { Budget, ProfileBudget } from '../model/budget.ts';
import { type Block, code } from '../model/message.ts';
import { clip, list, paragraph } from './words/sentence.ts';

const NAME = 40;
const LONGEST = 300;

/** What each profile would set and whether the engine starts with it; the one that was asked for with its reasons. */
export function profileBlocks({ profiles, profile, fixed }: Budget): Block[] {
  if (fixed !== undefined) return [paragraph(`No profile is computed: ${clip(fixed, LONGEST)}.`)];
  if (profiles.length === 0) {
    return profile === undefined ? [] : [paragraph(`There is no ${clip(profile, NAME)} profile for this engine.`)];
  }
  const asked = profiles.find(({ name }) => name === profile);
  if (asked !== undefined) return reasonBlocks(asked);
  const items = profiles.map((one) => [
    code(clip(one.name, NAME)),
    `: ${clip(`${settings(one)}${startWords(one)}`, LONGEST)}`,
  ]);
  return list('What the profiles would set', items);
}

function settings({ edits, start }: ProfileBudget): string {
  if (edits.length > 0) return edits.map(({ flag, to }) => `${flag} ${to ?? ''}`.trim()).join(', ');
  return start.kind === 'refuses' ? 'nothing' : 'nothing: what is in force is safer already, or not known';
}

function startWords({ edits, start }: ProfileBudget): string {
  if (start.kind === 'refuses') return `; the engine would not start: ${start.why}`;
  if (edits.length === 0) return '';
  return start.proven ? '; the engine starts with it' : '; whether the engine starts with it could not be told';
}

function reasonBlocks(asked: ProfileBudget): Block[] {
  const { name, says, edits, start, sum } = asked;
  const title = `The ${clip(name, NAME)} profile: ${clip(says, LONGEST)}`;
  if (edits.length === 0) {
    const why =
      start.kind === 'refuses'
        ? `It is not set: ${start.why}.${start.why.includes(sum) ? '' : ` The sum: ${sum}.`}`
        : 'It changes nothing.';
    return [paragraph(`${title}. ${clip(why, LONGEST)}`), ...leftBlocks(asked)];
  }
  const items = edits.map(({ flag, to, why }) => [code(`${flag} ${to ?? ''}`), `: ${clip(why, LONGEST)}`]);
  return [...list(title, items), ...leftBlocks(asked)];
}

function leftBlocks({ left }: ProfileBudget): Block[] {
  const items = left.map(({ flag, why }) => [code(flag), `: ${clip(why, LONGEST)}`]);
  return list('What of it stays as it is', items);
}
