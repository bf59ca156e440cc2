import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assemble } from '../../src/kubernetes/logs/assemble.ts';
import { createKeeper } from '../../src/kubernetes/logs/keeper.ts';
import { createRedactor } from '../../src/snapshot/redact.ts';
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

// What a user wrote, in the forms in which engines print it; nothing of it may be left.
const WORDS = 'my rare illness \\n ';
const REQUESTS = [
  (words: string) =>
    `INFO 07-10 [logger.py:60] Received request cmpl-1: prompt: '${words}', params: SamplingParams(n=1)`,
  (words: string) => `{"messages":[{"role":"user","content":"${words}"}],"model":"m"}`,
  (words: string) => `obj=GenerateReqInput(rid='a', text='${words}', input_ids=None)`,
  (words: string) => `INFO POST {"prompt": "${words}"} failed: CUDA out of memory. Tried to allocate 2.00 GiB`,
];

it('a request line, however long and wherever it is cut leaves none of its prompt', () => {
  const cases = fc.record({
    form: fc.constantFrom(...REQUESTS),
    length: fc.oneof(fc.integer({ min: 1, max: 3000 }), fc.integer({ min: 3000, max: 150_000 })),
    cause: fc.boolean(),
    before: fc.integer({ min: 0, max: 60 }),
    after: fc.integer({ min: 0, max: 60 }),
    headBytes: fc.integer({ min: 1, max: 20_000 }),
    ringBytes: fc.integer({ min: 200, max: 40_000 }),
    windowFrom: fc.integer({ min: 0, max: 160_000 }),
    sizes: fc.array(fc.integer({ min: 50, max: 40_000 }), { minLength: 1, maxLength: 4 }),
    ending: fc.constantFrom('end' as const, 'cap' as const, 'dropped' as const),
    stop: fc.integer({ min: 1, max: 160_000 }),
    rotated: fc.boolean(),
  });
  const redactor = createRedactor();
  fc.assert(
    fc.property(cases, (it) => {
      const chat = (count: number) => Array.from({ length: count }, (_, i) => `INFO step ${i} ${'x'.repeat(i * 7)}`);
      const words = WORDS.repeat(Math.ceil(it.length / WORDS.length));
      const request = it.form(it.cause ? `${words}${OOM_LINE}${words}` : words);
      const lines = stamped([...chat(it.before), request, OOM_LINE, ...chat(it.after)]);
      const log = Buffer.from(`${lines.join('\n')}\n`);
      // The runtime keeps a long line in parts, each of which may be the first that is sent, with a time of its own.
      const cut = (from: number) => Buffer.concat([Buffer.from('2026-01-15T02:00:00Z '), log.subarray(from)]);
      const sent = it.ending === 'end' ? log.byteLength : it.stop;
      const ownStart = it.rotated ? cut(it.windowFrom % log.byteLength) : log;
      const crash = createKeeper({ scanner, ringBytes: it.ringBytes });
      feed(cut(it.windowFrom % log.byteLength).subarray(0, sent), crash.push, it.sizes);
      const middle = createKeeper({ scanner, ringBytes: 0 });
      feed(ownStart.subarray(0, sent), middle.push, it.sizes);

      const { text } = assemble({
        head: { bytes: ownStart.subarray(0, it.headBytes), ending: 'cap', rotated: it.rotated },
        windows: [{ kept: crash.kept(it.ending === 'end'), ending: it.ending }],
        deep: { kept: middle.kept(it.ending === 'end'), ending: it.ending },
      });

      expect(redactor.redact(text)).not.toContain('illness');
    }),
    { numRuns: 150, seed: 11 },
  );
});

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
          head: {
            bytes: log.subarray(0, headBytes),
            ending: headBytes > log.byteLength ? 'end' : 'cap',
            rotated: false,
          },
          windows: [{ kept: crash.kept(true), ending: 'end' }],
          deep: deep ? { kept: middle.kept(!middle.full), ending: middle.full ? 'cap' : 'end' } : undefined,
        });

        const kept = made.text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
        const places = kept.map((line) => lines.indexOf(line));
        expect(places).toEqual([...new Set(places)].toSorted((a, b) => a - b));
        expect(places).not.toContain(-1);
        if (made.parts[0] === 'whole') expect(made.text).toBe(log.toString());
        if (made.missing !== null) {
          const remarks = made.text.match(/^# \.\.\. .*\n/gm) ?? [];
          const own = Buffer.byteLength(made.text) - Buffer.byteLength(remarks.join(''));
          expect(own + made.missing).toBeLessThanOrEqual(log.byteLength);
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

          const hits = keeper.kept(true).hits.map(({ bytes }) => bytes.toString());

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

    const { hits, ring, bytes } = keeper.kept(true);

    expect(keeper.full).toBe(true);
    expect(bytes).toBe(line.byteLength * 400);
    expect(ring.bytes.byteLength).toBeLessThanOrEqual(10_000);
    expect(hits.reduce((sum, hit) => sum + hit.bytes.byteLength, 0)).toBeLessThan(400_000);
  });
});
