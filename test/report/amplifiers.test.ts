import { describe, expect, it } from 'vitest';
import { AMPLIFIERS } from '../../src/facts/death/amplifiers.ts';
import type { Message } from '../../src/model/message.ts';
import type { Verdict } from '../../src/model/verdict.ts';
import { explainMessages } from '../../src/report/explain.ts';
import { verdictJson } from '../../src/report/verdict-json.ts';
import { aFacts, anInput } from './inputs.ts';

const YES_NO = AMPLIFIERS.entries.filter(({ unit }) => unit === 'yes-no').map(({ id }) => id);
const ALL = aFacts(Object.fromEntries(YES_NO.map((id) => [id, true])));
const BOTH: Partial<Verdict> = { plane: 'both', phase: 'startup', cause: 'host.startup.weight-staging' };

function rows(message: Message | undefined): string[] {
  const found = message?.blocks.find((block) => block.kind === 'list' && block.title === 'Contributing factors');
  if (found?.kind !== 'list') return [];
  return found.items.map((spans) => spans.map((span) => ('text' in span ? span.text : '')).join(''));
}

describe('what makes it worse', () => {
  it('is all in explain and in JSON', () => {
    const input = anInput({ facts: ALL, verdict: BOTH });

    expect(rows(explainMessages(input)[0])).toHaveLength(YES_NO.length);
    expect(
      verdictJson(input)
        .amplifiers.map(({ fact }) => fact)
        .toSorted(),
    ).toEqual(YES_NO.toSorted());
  });

  it('is silent about what is not known and about what is not so', () => {
    const no = aFacts(Object.fromEntries(YES_NO.map((id) => [id, false])));

    for (const facts of [aFacts({}), no]) {
      const input = anInput({ facts, verdict: BOTH });
      expect(rows(explainMessages(input)[0])).toEqual([]);
      expect(verdictJson(input).amplifiers).toEqual([]);
    }
  });

  it.each([
    ['the probe where the probe is the verdict', 'amplifier.tight-probe', { plane: 'none', cause: 'none.probe-kill' }],
    ['the limit of RAM where the GPU failed', 'amplifier.limit-equals-request', { plane: 'gpu' }],
    ['the card where RAM failed', 'amplifier.shared-gpu', { plane: 'host', cause: 'host.chronic.leak' }],
  ] as const)('does not tell %s', (_name, id, verdict) => {
    const input = anInput({ facts: ALL, verdict });

    expect(verdictJson(input).amplifiers.map(({ fact }) => fact)).not.toContain(id);
    expect(verdictJson(anInput({ facts: ALL, verdict: BOTH })).amplifiers.map(({ fact }) => fact)).toContain(id);
  });
});
