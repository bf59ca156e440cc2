import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { reckonBudget } from '../../src/app/budget/budget.ts';
import { readFolder } from '../../src/folder/read-folder.ts';
import type { Message } from '../../src/model/message.ts';
import { budgetMessage } from '../../src/report/budget.ts';
import { card, type ReportInput } from '../../src/report/card.ts';
import { explainMessages } from '../../src/report/explain.ts';
import { drawTerminal } from '../../src/report/terminal.ts';
import { thread } from '../../src/report/thread.ts';
import { sentencesOf } from '../../src/report/words/sentence.ts';
import { loadKnowledge } from '../../src/wire/knowledge.ts';
import { playbookDirs } from '../../src/wire/playbook-dirs.ts';
import { loadProfiles } from '../../src/wire/profiles.ts';
import { INCIDENTS, judge, PLAYBOOKS, readIncident } from '../playbooks/shipped.ts';
import { AS_TEXT } from './inputs.ts';

const draw = (message: Message | undefined): string =>
  message === undefined ? '' : drawTerminal(message, { ...AS_TEXT, width: 100 });
const linesOf = (text: string): number => text.split('\n').length;

type Sized = { readonly name: string; readonly input: ReportInput; readonly explain: string; readonly budget: string };

let all: readonly Sized[] = [];

beforeAll(async () => {
  const dirs = playbookDirs([]);
  const deps = { book: await loadProfiles(dirs), evidence: (await loadKnowledge(dirs)).engine };
  const sizeOf = async (name: string): Promise<Sized> => {
    const facts = await readIncident(name, []);
    const input = { diagnosis: judge(facts, name), facts, evidence: 'full' } as const;
    const folder = await readFolder(join(PLAYBOOKS, 'oom/incidents', name));
    const outcome = await reckonBudget(folder, deps);
    return {
      name,
      input: { ...input, capture: undefined, series: undefined, incident: undefined },
      explain: draw(explainMessages(input)[0]),
      budget: outcome.kind === 'budget' ? draw(budgetMessage(outcome.budget)) : '',
    };
  };
  all = await Promise.all(INCIDENTS.map(sizeOf));
}, 60_000);

describe('explain and the thread over all shipped incidents', () => {
  it('explain on 46 lines in the median, never on more than 72', () => {
    const counts = all.map(({ explain }) => linesOf(explain)).toSorted((a, b) => a - b);

    expect(counts[Math.floor(counts.length / 2)]).toBeLessThanOrEqual(46);
    expect(all.filter(({ explain }) => linesOf(explain) > 72).map(({ name }) => name)).toEqual([]);
  });

  it('say nothing twice', () => {
    const twice = all.flatMap(({ name, explain }) => {
      const told = sentencesIn(explain);
      return told.filter((one, i) => told.indexOf(one) < i).map((one) => `${name}: ${one}`);
    });

    expect(twice).toEqual([]);
  });

  it('repeat no sentence of the card in the thread, but the start of the quoted lines', () => {
    const twice = all.flatMap(({ name, input }) => {
      const below = new Set(sentencesIn(thread(input).messages.map(draw).join('\n')));
      const [before = ''] = draw(card(input)).split('\nEvidence: ');
      return sentencesIn(before)
        .filter((one) => below.has(one))
        .map((one) => `${name}: ${one}`);
    });

    expect(twice).toEqual([]);
  });
});

it('the budget of all shipped incidents fits on a screen of 24 lines', () => {
  expect(all.filter(({ budget }) => linesOf(budget) > 24).map(({ name }) => name)).toEqual([]);
  expect(all.filter(({ budget }) => budget !== '').length).toBeGreaterThan(30);
});

// Sentences of prose: labels, bullets and quoted lines are none.
function sentencesIn(text: string): string[] {
  const prose = text
    .split(/\n(?=\n| {2}• |[A-Z][a-z ]+: )/)
    .map((block) => block.replace(/\s+/g, ' ').replace(/^ ?•? ?(?:Now|Permanently|Cause|Do now|Then): /, ''));
  return prose.flatMap(sentencesOf).filter((one) => /^[A-Z][^:]{20,}\.$/.test(one));
}
