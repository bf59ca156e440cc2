import { describe, expect, it } from 'vitest';
import type { FactValue } from '../../../src/model/fact.ts';
import { type Files, factsOfFiles, logged as log, valueIn, valueOfFact } from '../incident.ts';
import { ended, podFile, running } from '../pod.ts';

const START = '(APIServer pid=1) INFO 09-14 10:00:02 [api_server.py:1896] vLLM API server version 0.11.0';
const READY = '(APIServer pid=1) INFO:     Application startup complete.';
const OOM =
  '(EngineCore_DP0 pid=2) ERROR 09-14 10:47:10 [core.py:710] torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.10 GiB.';
const DUMP =
  '(EngineCore_DP0 pid=2) ERROR 09-14 10:47:09 [dump_input.py:76] Dumping scheduler output for model execution:';

async function valuesOf(files: Files, ids: readonly string[]) {
  const facts = await factsOfFiles(files);
  return ids.map((id): FactValue | undefined => valueOfFact(facts, id));
}

describe('the step that failed', () => {
  const request = (id: string, length: number) =>
    `NewRequestData(req_id=${id},prompt_token_ids_len=${length},mm_features=[],sampling_params=SamplingParams(n=1),block_ids=([1],),num_computed_tokens=0,lora_request=None)`;
  const dump = (requests: readonly string[], tokens: string, total: number) =>
    `${DUMP} SchedulerOutput(scheduled_new_reqs=[${requests.join(', ')}], scheduled_cached_reqs=CachedRequestData(req_ids=[]), num_scheduled_tokens={${tokens}}, total_num_scheduled_tokens=${total}, scheduled_spec_decode_tokens={})`;
  it('tells its tokens, and how full the pool was', async () => {
    const stats =
      '(EngineCore_DP0 pid=2) ERROR 09-14 10:47:09 [dump_input.py:79] Dumping scheduler stats: SchedulerStats(num_running_reqs=3, num_waiting_reqs=2, kv_cache_usage=0.0065, prefix_cache_stats=PrefixCacheStats(reset=False))';
    const ids = ['step.scheduled-tokens', 'requests.running', 'requests.waiting', 'kv-cache.used-share'];

    expect(await valuesOf(log(START, READY, dump([], 'a: 2048', 2048), stats), ids)).toEqual([2048, 3, 2, 0.0065]);
  });

  it('has the usual prompt length of the metrics beside it', async () => {
    const below = { 100: 300, 1000: 990, 2000: 999, '+Inf': 1000 };
    const metrics = Object.entries(below)
      .map(([le, n]) => `vllm:request_prompt_tokens_bucket{le="${le}"} ${n}`)
      .join('\n');
    const files = log(START, READY, dump([request('r', 61234)], 'r: 8192', 8192), OOM);

    expect(await valueIn({ ...files, 'metrics.txt': `${metrics}\n` }, 'requests.prompt-p95')).toBe(948);
  });
});

describe('lengths that a gateway wrote down', () => {
  const done = (i: number) => `2026-09-14T10:46:${10 + i}Z done input_tokens=${i * 100} output_tokens=${i}`;
  const lines = (n: number) => Array.from({ length: n }, (_, i) => done(i + 1)).join('\n');

  it.each([
    ['are the usual ones where there are no metrics', 20, 1900],
    ['are too few below twenty', 19, undefined],
  ])('%s', async (_name, count, p95) => {
    const files = { ...log(START, OOM), 'gateway.current.log': `${lines(count)}\n` };

    expect(await valueIn(files, 'requests.prompt-p95')).toBe(p95);
  });
});

describe('the year of a log that bears none', () => {
  const at = async (startedAt: string, finishedAt: string, lines = [START, READY, OOM]) => {
    const pod = podFile({ status: { state: running(), lastState: ended('Error', 1, startedAt, finishedAt) } });
    return valueIn({ ...log(...lines), ...pod }, 'gpu.oom-at');
  };

  it.each<[string, string, string, string | undefined]>([
    ['is that of the pod', '2026-09-14T10:00:00Z', '2026-09-14T10:47:20Z', '2026-09-14T10:47:10Z'],
    ['is told only where the clock is that of the pod', '2026-09-14T08:00:00Z', '2026-09-14T08:47:20Z', undefined],
    ['and not where the lines lie outside of its life', '2026-09-14T10:30:00Z', '2026-09-14T10:47:20Z', undefined],
    ['and not of another day', '2026-09-12T10:00:00Z', '2026-09-12T10:47:20Z', undefined],
  ])('%s', async (_name, startedAt, finishedAt, expected) => {
    expect(await at(startedAt, finishedAt)).toBe(expected === undefined ? undefined : Date.parse(expected));
  });

  it('is not told where a cut log may be of another zone', async () => {
    expect(await at('2026-09-14T02:00:00Z', '2026-09-14T12:47:20Z', [OOM])).toBeUndefined();
  });

  it('goes over the turn of the year', async () => {
    const lines = [
      START.replace('09-14 10:00:02', '12-31 23:10:00'),
      READY,
      OOM.replace('09-14 10:47:10', '01-01 00:20:00'),
    ];

    expect(await at('2026-12-31T23:09:00Z', '2027-01-01T00:20:30Z', lines)).toBe(Date.parse('2027-01-01T00:20:00Z'));
  });
});
