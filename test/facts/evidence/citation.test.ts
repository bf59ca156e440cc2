import { describe, expect, it } from 'vitest';
import { diagnoseFiles, type Files } from '../incident.ts';

async function factOf(id: string, files: Files) {
  const { facts } = await diagnoseFiles(files);
  return facts.get(id);
}

describe('a cited line', () => {
  const FIRST = 'AssertionError: Error in memory profiling. Initial free memory 82.94 GiB,';
  const SECOND = 'current free memory 90.17 GiB. This happens when other processes sharing the';

  it('bears the lines in which its sentence goes on', async () => {
    const fact = await factOf('gpu.profile-balance', {
      'previous.log': `${FIRST}\n${SECOND}\nsame container free it.\n`,
    });

    expect(fact).toMatchObject({ value: 'freed', from: [{ line: 1, text: FIRST, more: [SECOND] }] });
  });

  it('bears no line that is another record', async () => {
    const oom = 'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB';
    const fact = await factOf('gpu.oom-logged', { 'previous.log': `${oom}\nINFO 09-14 10:00:00 [core.py:1] done\n` });

    expect(fact).toMatchObject({ value: true, from: [{ line: 1, text: oom }] });
    expect(fact?.kind === 'known' && fact.from[0]).not.toHaveProperty('more');
  });
});

describe('a setting', () => {
  const dump = (args: string) =>
    `INFO 05-01 10:00:00 [api_server.py:1] vLLM API server version 0.11.0\nINFO 05-01 10:00:00 [api_server.py:1] non-default args: {${args}}\n`;

  it.each([['nobody gave', "'max_num_seqs': 64", true]])(
    'that %s is marked as what it is',
    async (_name, args, byDefault) => {
      const fact = await factOf('engine.utilization', { 'previous.log': dump(args) });

      expect(fact).toMatchObject({ kind: 'known', value: 0.9 });
      expect(fact?.kind === 'known' && fact.byDefault).toBe(byDefault);
    },
  );
});
