import { describe, expect, it } from 'vitest';
import { factsOfFiles } from '../incident.ts';

const factOf = async (id: string, log: string) => (await factsOfFiles({ 'previous.log': log })).get(id);

describe('a cited line', () => {
  const FIRST = 'AssertionError: Error in memory profiling. Initial free memory 82.94 GiB,';
  const SECOND = 'current free memory 90.17 GiB. This happens when other processes sharing the';

  it('bears the lines in which its sentence goes on', async () => {
    const fact = await factOf('gpu.profile-balance', `${FIRST}\n${SECOND}\nsame container free it.\n`);

    expect(fact).toMatchObject({ value: 'freed', from: [{ line: 1, text: FIRST, more: [SECOND] }] });
  });

  it('bears no line that is another record', async () => {
    const oom = 'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB';
    const fact = await factOf('gpu.oom-logged', `${oom}\nINFO 09-14 10:00:00 [core.py:1] done\n`);

    expect(fact).toMatchObject({ value: true, from: [{ line: 1, text: oom }] });
    expect(fact?.kind === 'known' && fact.from[0]).not.toHaveProperty('more');
  });
});

it('a setting that nobody gave is marked as a default', async () => {
  const log =
    "INFO 05-01 10:00:00 [api_server.py:1] vLLM API server version 0.11.0\nINFO 05-01 10:00:00 [api_server.py:1] non-default args: {'max_num_seqs': 64}\n";

  expect(await factOf('engine.utilization', log)).toMatchObject({ kind: 'known', value: 0.9, byDefault: true });
});
