import { describe, expect, it } from 'vitest';
import { diagnoseSource } from '../../../src/app/triage/diagnose.ts';
import { aSnapshot, COMPILED_PHRASES, judge } from '../../playbooks/shipped.ts';

const figures = (second: number, tps: number, waiting = 1) =>
  `INFO 08-04 14:10:${second} [loggers.py:122] Engine 000: Avg prompt throughput: 0.0 tokens/s, Avg generation throughput: ${tps} tokens/s, Running: 8 reqs, Waiting: ${waiting} reqs, GPU KV cache usage: 99.1%, Prefix cache hit rate: 0.0%`;

async function planeOf(...lines: readonly string[]) {
  return planeBeside({}, lines);
}

async function planeBeside(beside: Readonly<Record<string, string>>, lines: readonly string[]) {
  const files = {
    ...beside,
    'previous.log': `${lines.join('\n')}\n`,
    'incident.json': '{"engine":"vllm","uptime":"hours"}',
  };
  const { diagnosis } = await diagnoseSource(aSnapshot(files), { phrases: COMPILED_PHRASES, judge });
  return diagnosis.verdict.plane;
}

describe('a full pool of KV blocks', () => {
  it('is load where tokens are generated to the last line and fewer wait than run', async () => {
    expect(await planeOf(figures(19, 28), figures(29, 27.2), '# all requests finish in the end')).toBe('none');
  });

  it.each([
    ['nothing is generated any more', [figures(19, 28), figures(29, 0)]],
    ['one line tells little', [figures(29, 28)]],
    ['the queue is longer than the batch', [figures(19, 28), figures(29, 27.2, 40)]],
    ['somebody noted that it stopped', [figures(19, 28), figures(29, 27.2), '# then no line any more']],
  ])('may be more than that where %s', async (_, lines) => {
    expect(await planeOf(...lines)).toBe('gpu');
  });

  const LONG_QUEUE = [figures(19, 700, 63), figures(29, 660, 88)];

  it.each([
    ['vllm:num_preemptions_total  13:02 -> 13:03   4 -> 139'],
    ['preemptions went from 12 to 1,040'],
    ['num_retracted_reqs: 0 → 7'],
  ])('is load where those who wait were taken out of the batch: %s', async (row) => {
    expect(await planeBeside({ 'metrics.txt': `${row}\n` }, LONG_QUEUE)).toBe('none');
  });

  it('is load where the engine prints whom it took out of the batch', async () => {
    const taken = LONG_QUEUE.map((line) => line.replace('Waiting: 88 reqs,', '$& Preemptions: 135,'));
    expect(await planeOf(...taken)).toBe('none');
  });

  it.each([
    ['vllm:num_preemptions_total  13:02 -> 13:03   4 -> 4'],
    ['vllm:num_preemptions_total  seen 13:02 -> 13:03'],
    ['vllm:request_success_total  4 -> 139'],
  ])('may be more than that beside %s', async (row) => {
    expect(await planeBeside({ 'metrics.txt': `${row}\n` }, LONG_QUEUE)).toBe('gpu');
  });
});
