import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Matcher } from '../../../src/read/log/compile.ts';
import type { Gate } from '../../../src/read/log/gate.ts';
import { createPartFinder } from '../../../src/read/log/part-finder.ts';
import { SIGNATURES } from '../../playbooks/built-in.ts';
import { compiled } from './scan-text.ts';

const LINES = SIGNATURES.flatMap((signature) => signature.must);

it('finds what the expression of the gate finds, in the same places', () => {
  const gates = [compiled.wholeGate, compiled.endsGate].map(
    (gate) => [gate, createPartFinder([...gate.owners.keys()])] as const,
  );

  fc.assert(
    fc.property(fc.array(fc.constantFrom(...LINES, 'naïve — 内存', ''), { maxLength: 6 }), fc.nat(40), (lines, cut) => {
      const text = Buffer.from(lines.join('\n').slice(cut), 'utf8').toString('latin1');
      for (const [gate, finder] of gates) {
        expect(placesOf((from) => finder.next(text, from))).toEqual(placesOf((from) => byExpression(gate, text, from)));
      }
    }),
    { numRuns: 300, seed: 5 },
  );
});

it('finds nothing where there is nothing to look for', () => {
  expect(createPartFinder([]).next('any text', 0)).toBeUndefined();
});

type Next = (from: number) => { readonly at: number; readonly part: string } | undefined;

function placesOf(next: Next): readonly string[] {
  const found: string[] = [];
  for (let place = next(0); place !== undefined; place = next(place.at + 1)) found.push(`${place.at} ${place.part}`);
  return found;
}

function byExpression({ expression }: Gate<Matcher>, text: string, from: number) {
  expression.lastIndex = from;
  const match = expression.exec(text);
  return match === null ? undefined : { at: match.index, part: match[0] };
}
