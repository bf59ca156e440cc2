import { describe, expect, it } from 'vitest';
import { createLogScanner } from '../../../src/read/log/scanner.ts';
import { compiled, OOM_LINE } from './scan-text.ts';

const MIB = 1024 ** 2;

function* chunks(total: number): Generator<Buffer> {
  const line = 'INFO 07-10 10:00:00 [loggers.py:118] Engine 000: all is well, 12 requests, nothing of note to tell\n';
  const quiet = Buffer.from(line.repeat(600));
  const loud = Buffer.from(`${OOM_LINE}\n`.repeat(100));
  for (let sent = 0, i = 0; sent < total; i++) {
    const chunk = i % 5 === 4 ? loud : quiet;
    sent += chunk.length;
    yield chunk;
  }
}

describe('a long log', () => {
  it('of 200 MB is scanned with flat memory, although a third of its lines are hits', { timeout: 120_000 }, () => {
    const scanner = createLogScanner(compiled, { file: 'previous.log' });
    let loud = 0;
    let highest = 0;
    for (const chunk of chunks(200 * MIB)) {
      scanner.push(chunk);
      if (chunk.includes(OOM_LINE)) loud += 100;
      highest = Math.max(highest, process.memoryUsage().heapUsed + process.memoryUsage().external);
    }
    const reading = scanner.finish();

    expect(reading.counts.get('torch.oom.head')).toBe(loud);
    expect(reading.hits.length).toBeLessThan(400);
    expect(highest).toBeLessThan(300 * MIB);
  });

  it('is scanned as one single line of 40 MB as well', { timeout: 120_000 }, () => {
    const scanner = createLogScanner(compiled, { file: 'previous.log' });
    const piece = Buffer.alloc(MIB, 'a');
    for (let i = 0; i < 20; i++) scanner.push(piece);
    scanner.push(Buffer.from(OOM_LINE));
    for (let i = 0; i < 20; i++) scanner.push(piece);
    const reading = scanner.finish();

    expect([reading.lines, reading.counts.get('torch.oom.head')]).toEqual([1, 1]);
  });
});
