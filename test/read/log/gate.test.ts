import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileSignatures } from '../../../src/read/log/compile.ts';
import { buildGate, shortest } from '../../../src/read/log/gate.ts';
import { ownersIn } from '../../../src/read/log/lines.ts';
import { SIGNATURES } from '../../playbooks/built-in.ts';
import { aSignature, compiled, scan } from './scan-text.ts';

const entries = (literals: readonly string[]) => literals.map((literal) => ({ literal, owner: literal }));

describe('the gate', () => {
  it('lets through every text that holds a literal, overlapping ones too', () => {
    const literals = fc.uniqueArray(fc.string({ minLength: 5, maxLength: 12, unit: fc.constantFrom(...'abcM( .*') }), {
      minLength: 1,
      maxLength: 12,
    });
    fc.assert(
      fc.property(
        literals,
        fc.array(fc.string({ unit: fc.constantFrom(...'abcM( .*') })),
        fc.nat(),
        (all, junk, pick) => {
          const literal = all[pick % all.length] ?? '';
          const text = `${junk.join('')}${literal}${junk.join('')}`;
          expect([...ownersIn(text, buildGate(entries(all)))]).toContain(literal);
        },
      ),
      { numRuns: 300, seed: 11 },
    );
  });

  it('begins its alternatives with few characters, which is what makes it fast', () => {
    const starts = new Set([...compiled.wholeGate.owners.keys()].map((part) => part.charAt(0)));

    expect(starts.size).toBeLessThanOrEqual(16);
  });

  it('lets nothing through where there is nothing to look for', () => {
    expect([...ownersIn('any text', buildGate([]))]).toEqual([]);
  });

  it('gives the literals that a line-by-line search needs to find the same lines', () => {
    const log = SIGNATURES.flatMap((signature) => signature.must).join('\n');
    const lines = log.split('\n');
    const whole = SIGNATURES.filter((signature) => signature.scan !== 'ends' && signature.weight !== 'context');

    const hits = scan(log).hits.filter((hit) => whole.some((signature) => signature.id === hit.id));

    for (const hit of hits) {
      const around = lines.slice(hit.line - 1, hit.line + 1).join('');
      expect(compiled.gateLiterals.some((literal) => around.includes(literal))).toBe(true);
    }
  });
});

it('literals that contain another one are left out', () => {
  expect(shortest(['out of memory', 'CUDA out of memory', 'memory', 'disk', 'memory'])).toEqual(['memory', 'disk']);
});

it('compiling keeps context out of the gate over the whole log, unless the signature says otherwise', () => {
  const signatures = [
    aSignature({ id: 'a', weight: 'context', literals: ['every line'] }),
    aSignature({ id: 'b', weight: 'context', scan: 'whole', literals: ['a banner'] }),
    aSignature({ id: 'c', scan: 'ends', literals: ['a note of people'] }),
    aSignature({ id: 'd', literals: ['a cause'] }),
  ];

  expect(compileSignatures(signatures).gateLiterals).toEqual(['a banner', 'a cause']);
});
