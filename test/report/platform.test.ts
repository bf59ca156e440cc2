import { describe, expect, it } from 'vitest';
import type { Message } from '../../src/model/message.ts';
import { card } from '../../src/report/card.ts';
import { explainMessages } from '../../src/report/explain.ts';
import { aFacts, anInput } from './inputs.ts';

const AT = 'Arguments stand in the ConfigMap of the Workspace.';
const RESTARTS = 'KAITO makes the StatefulSet and puts a change of it back.';
const FACTS = aFacts({ 'wrapper.arguments-at': AT, 'wrapper.restarts': RESTARTS });

function whereOf(message: Message | undefined): string | undefined {
  const items = message?.blocks.flatMap((block) => (block.kind === 'list' ? block.items : [])) ?? [];
  const texts = items.map((spans) => spans.map((span) => ('text' in span ? span.text : '')).join(''));
  return texts.find((text) => /^Where\b/.test(text));
}

describe('where a change belongs when a platform runs the engine', () => {
  it('stands below what to do, on the card and in explain', () => {
    const input = anInput({ facts: FACTS });

    expect(whereOf(card(input))).toBe(`Where: ${AT} ${RESTARTS}`);
    expect(whereOf(explainMessages(input)[0])).toBe(`Where: ${AT} ${RESTARTS}`);
  });

  it('names the release where it is known', () => {
    const facts = aFacts({ 'wrapper.restarts': RESTARTS, 'wrapper.version': 'NIM 1.8.4' });

    expect(whereOf(card(anInput({ facts })))).toBe(`Where (NIM 1.8.4): ${RESTARTS}`);
  });

  it('is not said twice', () => {
    expect(whereOf(card(anInput({ facts: FACTS, diagnosis: { next: [AT] } })))).toBe(`Where: ${RESTARTS}`);
  });

  it('is not said where there is nothing to change, or no platform', () => {
    expect(whereOf(card(anInput({ facts: FACTS, verdict: { remedies: [] } })))).toBeUndefined();
    expect(whereOf(card(anInput({ facts: aFacts({}) })))).toBeUndefined();
  });
});
