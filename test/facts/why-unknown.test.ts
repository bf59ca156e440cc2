import { describe, expect, it } from 'vitest';
import { factsOfFiles as factsOf, known } from './incident.ts';

describe('what is not known', () => {
  it.each(['unknown', '?', 'n/a', ''])('a GPU that is noted as “%s” has no name', async (model) => {
    expect((await factsOf({ ...known({ gpu: { model } }), 'previous.log': 'Killed\n' })).get('gpu.product')?.kind).toBe(
      'unknown',
    );
  });

  it.each([
    [
      'the status, by what was pasted of it',
      'death.exit-code',
      { 'describe.txt': 'Status: Running\n' },
      ['describe.txt'],
    ],
    [
      'no file in which nothing stands',
      'death.exit-code',
      { 'describe.txt': ' \n', 'previous.log': 'a line\n' },
      undefined,
    ],
  ] as const)('says which files were read for it: %s', async (_name, id, files, held) => {
    const fact = (await factsOf(files)).get(id);

    expect(fact?.kind === 'unknown' ? fact.held : 'known').toEqual(held);
  });

  it('a gibibyte for each rank is no limit to set', async () => {
    const ranked = (args: string) =>
      factsOf({
        'args.txt': `vllm serve acme/falcon-9b --tensor-parallel-size 4 ${args}\n`,
        'previous.log': 'Killed\n',
      });

    expect((await ranked('')).get('lasting.ram-limit')?.kind).toBe('unknown');
    expect((await ranked('--cpu-offload-gb 20')).get('lasting.ram-limit')?.kind).toBe('known');
  });

  it('a crash in native code is about no setting', async () => {
    const log = 'Traceback (most recent call last):\nOSError: exception: access violation reading 0x0000000000000004\n';

    expect((await factsOf({ 'previous.log': log })).get('log.exception-kind')).toMatchObject({ value: 'other' });
  });
});
