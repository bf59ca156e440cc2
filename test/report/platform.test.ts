import { describe, expect, it } from 'vitest';
import type { Message } from '../../src/model/message.ts';
import { explainMessages } from '../../src/report/explain.ts';
import { aFacts, anInput } from './inputs.ts';

const AT = 'Arguments are in the ConfigMap of the Workspace.';
const FACTS = aFacts({ 'wrapper.arguments-at': AT });

function whereOf(message: Message | undefined): string | undefined {
  const items = message?.blocks.flatMap((block) => (block.kind === 'list' ? block.items : [])) ?? [];
  const texts = items.map((spans) => spans.map((span) => ('text' in span ? span.text : '')).join(''));
  return texts.find((text) => /^Where\b/.test(text));
}

describe('where a change belongs when a platform runs the engine', () => {
  it('stands below what to do, in explain', () => {
    const input = anInput({ facts: FACTS });

    expect(whereOf(explainMessages(input)[0])).toBe(`Where: ${AT}`);
  });

  it('is not said twice', () => {
    expect(whereOf(explainMessages(anInput({ facts: FACTS, diagnosis: { next: [AT] } }))[0])).toBeUndefined();
  });

  it('is not said where there is nothing to change, or no platform', () => {
    expect(whereOf(explainMessages(anInput({ facts: FACTS, verdict: { remedies: [] } }))[0])).toBeUndefined();
    expect(whereOf(explainMessages(anInput({ facts: aFacts({}) }))[0])).toBeUndefined();
  });
});
