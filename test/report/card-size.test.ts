import { beforeAll, describe, expect, it } from 'vitest';
import type { Incident } from '../../src/model/incident.ts';
import type { Message } from '../../src/model/message.ts';
import { card } from '../../src/report/card.ts';
import { drawTerminal } from '../../src/report/terminal.ts';
import { drawMessage } from '../../src/slack/draw/message.ts';
import { exampleIncident } from '../model/examples.ts';
import { INCIDENTS, judge, readIncident } from '../playbooks/shipped.ts';
import { AS_TEXT } from './inputs.ts';
import { visibleText } from './visible-text.ts';

type Sized = { readonly name: string; readonly message: Message; readonly lines: readonly string[] };

let cards: readonly Sized[] = [];

beforeAll(async () => {
  cards = await Promise.all(INCIDENTS.map((name) => sizeOf(name)));
}, 60_000);

async function sizeOf(name: string, incident: Incident = exampleIncident): Promise<Sized> {
  const facts = await readIncident(name, []);
  const diagnosis = judge(facts, name);
  const finding = { diagnosis, facts, capture: undefined, series: undefined, evidence: 'full' } as const;
  const message = card({ ...finding, incident, mayPlan: true });
  return { name, message, lines: drawTerminal(message, { ...AS_TEXT, width: 100 }).split('\n') };
}

const over = (isOver: (one: Sized) => boolean) => cards.filter(isOver).map(({ name }) => name);

describe('the cards of all shipped incidents', () => {
  it('have 12 lines in the middle, and never more than 16', () => {
    const counts = cards.map(({ lines }) => lines.length).toSorted((a, b) => a - b);

    expect(counts[Math.floor(counts.length / 2)]).toBeLessThanOrEqual(12);
    expect(over(({ lines }) => lines.length > 16)).toEqual([]);
  });

  it('have what to do on line 5 or earlier, and only what is healthy has nothing', () => {
    const actionAt = ({ lines }: Sized) => lines.findIndex((line) => line.startsWith('Do now: ')) + 1;

    expect(over((one) => actionAt(one) > 5)).toEqual([]);
    const isHealthy = ({ lines }: Sized) => lines[0]?.startsWith('✔ Healthy: ') === true;
    expect(over((one) => (actionAt(one) === 0) !== isHealthy(one))).toEqual([]);
  });

  it('have at most 8 blocks and 1,000 characters in Slack', () => {
    expect(over(({ message }) => drawMessage(message).blocks.length > 8)).toEqual([]);
    expect(over(({ message }) => visibleText(message).length > 1000)).toEqual([]);
  });

  it.each([
    ['taken on', { ackBy: 'U_ONCALL', ackAt: 1, reopenedAt: 1, seen: 12 }],
    ['resolved', { state: 'closed', closedAt: 1, closedBy: 'U_ONCALL', closedWhy: 'w'.repeat(500) }],
  ] as const)('have no more of them where the incident was %s', async (_what, state) => {
    const longest = cards.toSorted((a, b) => visibleText(b.message).length - visibleText(a.message).length).slice(0, 5);

    const sized = await Promise.all(longest.map(({ name }) => sizeOf(name, { ...exampleIncident, ...state })));

    expect(sized.map(({ message }) => visibleText(message).length).filter((length) => length > 1000)).toEqual([]);
    expect(sized.filter(({ lines }) => lines.length > 16)).toEqual([]);
  });

  it('share no sentence with more than a third of the others but confidence and missing metrics', () => {
    const sentences = cards.flatMap(({ lines }) => [...new Set(lines.join(' ').split(/(?<=[.!?:])\s+/))]);
    const counts = [...Map.groupBy(sentences, (one) => one)].map(([one, all]) => [one, all.length] as const);
    const common = counts.filter(([one, n]) => n > cards.length / 3 && /[a-z]{3,} [a-z]{2,} [a-z]{2,}/.test(one));

    expect(common.filter(([one]) => !/no metrics|high|likely/.test(one))).toEqual([]);
  });
});
