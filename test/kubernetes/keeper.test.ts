import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assemble } from '../../src/kubernetes/logs/assemble.ts';
import { createKeeper } from '../../src/kubernetes/logs/keeper.ts';
import { OOM_LINE } from '../read/log/scan-text.ts';
import { scanner } from './harness.ts';

/** Hands bytes over in chunks of these sizes, taken in turn. */
function feed(bytes: Buffer, push: (chunk: Buffer) => void, sizes: readonly number[]): void {
  for (let at = 0, i = 0; at < bytes.byteLength; i++) {
    const size = sizes[i % sizes.length] ?? bytes.byteLength;
    push(bytes.subarray(at, at + size));
    at += size;
  }
}

const stamped = (texts: readonly string[]) =>
  texts.map((text, i) => `2026-01-15T02:00:00.${String(i).padStart(9, '0')}Z ${text}`);

const aLine = fc.oneof(
  { weight: 9, arbitrary: fc.string({ maxLength: 60 }).map((text) => text.replaceAll(/[\n\r#]/g, '.')) },
  { weight: 1, arbitrary: fc.constant(OOM_LINE) },
);

describe('what is kept of a log', () => {
  it('is lines of the log in their order, each once, and the gaps are counted', () => {
    const cases = fc.record({
      texts: fc.array(aLine, { minLength: 1, maxLength: 120 }),
      headBytes: fc.integer({ min: 1, max: 4000 }),
      from: fc.integer({ min: 0, max: 119 }),
      ringBytes: fc.integer({ min: 200, max: 3000 }),
      sizes: fc.array(fc.integer({ min: 1, max: 700 }), { minLength: 1, maxLength: 4 }),
      deep: fc.boolean(),
    });
    fc.assert(
      fc.property(cases, ({ texts, headBytes, from, ringBytes, sizes, deep }) => {
        const lines = stamped(texts);
        const log = Buffer.from(`${lines.join('\n')}\n`);
        const crashLines = lines.slice(Math.min(from, lines.length - 1));
        const crash = createKeeper({ scanner, ringBytes });
        feed(Buffer.from(`${crashLines.join('\n')}\n`), crash.push, sizes);
        const middle = createKeeper({ scanner, ringBytes: 0 });
        feed(log, middle.push, sizes);

        const made = assemble({
          head: { bytes: log.subarray(0, headBytes), ending: headBytes > log.byteLength ? 'end' : 'cap' },
          windows: [{ kept: crash.kept(), ending: 'end' }],
          deep: deep ? { kept: middle.kept(), ending: middle.full ? 'cap' : 'end' } : undefined,
        });

        const kept = made.text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
        const places = kept.map((line) => lines.indexOf(line));
        // A line that was cut at either end of what was read may stand as a part of itself.
        const whole = places.filter((place) => place >= 0);
        expect(whole).toEqual([...new Set(whole)].toSorted((a, b) => a - b));
        expect(kept.length - whole.length).toBeLessThanOrEqual(2);
        expect(made.text.endsWith(`${lines.at(-1)?.slice(-20)}\n`)).toBe(true);
        if (made.parts[0] === 'whole') expect(made.text).toBe(log.toString());
        if (made.missing !== null) {
          const remarks = made.text.match(/^# \.\.\. .*\n/gm) ?? [];
          const own = Buffer.byteLength(made.text) - Buffer.byteLength(remarks.join(''));
          // A remark within a line that was kept as a part needs a line feed of its own.
          expect(log.byteLength - own - made.missing).toBeGreaterThanOrEqual(-remarks.length);
          expect(log.byteLength - own - made.missing).toBeLessThanOrEqual(0);
        }
      }),
      { numRuns: 100, seed: 7 },
    );
  });

  it('holds the line that names a cause, however the bytes are cut', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 400 }),
        fc.array(fc.integer({ min: 1, max: 9000 }), { minLength: 1, maxLength: 5 }),
        (place, sizes) => {
          const texts = Array.from({ length: 400 }, (_, i) => `line ${i} ${'x'.repeat(i % 300)}`);
          texts.splice(place, 0, OOM_LINE);
          const keeper = createKeeper({ scanner, ringBytes: 1000 });
          feed(Buffer.from(`${stamped(texts).join('\n')}\n`), keeper.push, sizes);

          const hits = keeper.kept().hits.map(({ bytes }) => bytes.toString());

          expect(hits.some((text) => text.includes(OOM_LINE))).toBe(true);
          const around = texts.slice(Math.max(0, place - 10), place + 10);
          expect(around.every((line) => hits.join('').includes(line))).toBe(true);
        },
      ),
      { numRuns: 20, seed: 7 },
    );
  });

  it('stays small whatever the log repeats', () => {
    const keeper = createKeeper({ scanner, ringBytes: 10_000 });
    const line = Buffer.from(`${OOM_LINE}\n`.repeat(100));
    for (let i = 0; i < 400; i++) keeper.push(line);

    const { hits, ring, bytes } = keeper.kept();

    expect(keeper.full).toBe(true);
    expect(bytes).toBe(line.byteLength * 400);
    expect(ring.bytes.byteLength).toBe(10_000);
    expect(hits.reduce((sum, hit) => sum + hit.bytes.byteLength, 0)).toBeLessThan(400_000);
  });
});
