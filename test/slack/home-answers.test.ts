import { expect, it } from 'vitest';
import { createHomeAnswers } from '../../src/slack/api/home-answers.ts';
import { createFakeClock } from '../fakes/clock.ts';

const HOME = { user: 'U_ONCALL', conversation: '', responseUrl: undefined };
const says = (summary: string) => ({ summary, blocks: [] });

it('answers in the Home tab stay for a minute, so that the answer to an earlier click takes none away', () => {
  const clock = createFakeClock();
  const answers = createHomeAnswers(clock);

  answers.add(HOME, says('first'));
  answers.recent('U_ONCALL');
  clock.pass(30_000);
  answers.add(HOME, says('second'));

  expect(answers.recent('U_ONCALL').map(({ summary }) => summary)).toEqual(['second', 'first']);
  expect(answers.recent('U_STRANGER')).toEqual([]);
  clock.pass(31_000);
  expect(answers.recent('U_ONCALL').map(({ summary }) => summary)).toEqual(['second']);
});
