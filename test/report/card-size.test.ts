import { beforeAll, describe, expect, it } from 'vitest';
import type { Incident } from '../../src/model/incident.ts';
import type { Message } from '../../src/model/message.ts';
import type { Capture } from '../../src/model/snapshot.ts';
import { card } from '../../src/report/card.ts';
import { drawTerminal } from '../../src/report/terminal.ts';
import { drawMessage } from '../../src/slack/draw/message.ts';
import { exampleCapture, exampleIncident } from '../model/examples.ts';
import { INCIDENTS, judge, readIncident } from '../playbooks/shipped.ts';
import { AS_TEXT } from './inputs.ts';
import { visibleText } from './visible-text.ts';

type Sized = { readonly name: string; readonly message: Message; readonly lines: readonly string[] };

let cards: readonly Sized[] = [];

beforeAll(async () => {
  cards = await Promise.all(INCIDENTS.map((name) => sizeOf(name)));
}, 60_000);

async function sizeOf(name: string, incident: Incident = exampleIncident, capture?: Capture): Promise<Sized> {
  const facts = await readIncident(name, []);
  const diagnosis = judge(facts, name);
  const finding = { diagnosis, facts, capture, series: undefined, evidence: 'full' } as const;
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
    ['resolved, and its pod still fails', { state: 'closed', closedAt: 1, closedBy: 'U_ONCALL' }, exampleCapture],
    ['resolved', { state: 'closed', closedAt: 1, closedBy: 'U_ONCALL', closedWhy: 'w'.repeat(500) }],
  ] as const)('have no more of them where the incident was %s', async (_what, state, capture?: Capture) => {
    const longest = cards.toSorted((a, b) => visibleText(b.message).length - visibleText(a.message).length).slice(0, 5);

    const sized = await Promise.all(longest.map(({ name }) => sizeOf(name, { ...exampleIncident, ...state }, capture)));

    expect(sized.map(({ message }) => visibleText(message).length).filter((length) => length > 1000)).toEqual([]);
    expect(sized.filter(({ lines }) => lines.length > 16)).toEqual([]);
  });

  it('share no sentence with more than a third of the others but confidence and missing metrics', () => {
    const counts = [...Map.groupBy(cards.flatMap(sentencesOf), (one) => one)].map(([one, all]) => [one, all.length]);
    const common = counts.filter(([, count]) => Number(count) > cards.length / 3).map(([one]) => one);

    expect(common.filter((one) => !/^Confidence: |no data \(no memory metrics\)$|^· inc_/.test(String(one)))).toEqual(
      [],
    );
  });

  it('say nothing twice in what failed, why and what to do', () => {
    const twice = cards.flatMap((one) => {
      const words =
        sayingOf(one)
          .join(' ')
          .toLowerCase()
          .match(/[\p{L}\d./'-]+/gu) ?? [];
      const phrases = words.slice(3).map((_, i) => words.slice(i, i + 4).join(' '));
      return phrases.filter((phrase, i) => phrases.indexOf(phrase) < i).map((phrase) => `${one.name}: ${phrase}`);
    });

    expect(twice).toEqual([]);
  });

  it('say what failed, why and what to do in sentences of at most 20 words', () => {
    const long = cards.flatMap((one) =>
      sentencesOf({ lines: sayingOf(one) }).filter((sentence) => sentence.split(' ').length > 20),
    );

    expect(long).toEqual([]);
  });
});

const LABEL = 'Cause|Missing|Do now|Evidence';
const WRAP = /\n(?!(?:→|·|RAM|Cause:|Missing:|Do now:|Evidence:|Confidence:) )/g;

// Wrapped lines are joined first; a sentence counts once a card, a command is none.
function sentencesOf({ lines }: Pick<Sized, 'lines'>): string[] {
  const whole = lines.join('\n').replace(WRAP, ' ').split('\n');
  const said = whole.filter((line) => !line.startsWith('→')).map((line) => line.replace(RegExp(`^(?:${LABEL}): `), ''));
  return [...new Set(said.flatMap((line) => line.split(/(?<=[.!?])\s+/)))].filter((one) => one.includes(' '));
}

// The headline, the cause and what to do; what is missing is a list.
function sayingOf({ lines }: Sized): string[] {
  const saying = lines.slice(
    0,
    lines.findIndex((line) => /^(?:→|RAM) /.test(line)),
  );
  const missing = saying.findIndex((line) => line.startsWith('Missing: '));
  return missing < 0
    ? saying
    : saying.toSpliced(missing, saying.findIndex((line) => line.startsWith('Do now: ')) - missing);
}
