import { describe, expect, it } from 'vitest';
import { readFacts } from '../../../src/app/triage/diagnose.ts';
import { aSnapshot, COMPILED_PHRASES } from '../../playbooks/shipped.ts';

const factsOf = (files: Readonly<Record<string, string>>) => readFacts(aSnapshot(files), COMPILED_PHRASES);
const OOM = (at: string) =>
  `ERROR ${at} [core.py:710] torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.27 GiB. GPU 0 has a total capacity of 79.33 GiB of which 109.81 MiB is free.`;

describe('what is not known', () => {
  it.each(['unknown', '?', 'n/a', ''])('a GPU that is noted as “%s” has no name', async (model) => {
    const facts = await factsOf({ 'incident.json': JSON.stringify({ gpu: { model } }), 'previous.log': 'Killed\n' });

    expect(facts.get('gpu.product')?.kind).toBe('unknown');
  });

  it.each([
    ['a tail that begins with a request', 'INFO 02-10 18:06:30 engine.py:275] Added request cmpl-1.', undefined],
    ['a log that shows the start', 'INFO 02-10 18:01:30 [api_server.py:1896] vLLM API server version 0.11.0', 300],
  ])('the age of %s', async (_name, first, seconds) => {
    const facts = await factsOf({ 'previous.log': `${first}\n${OOM('02-10 18:06:30')}\n` });

    expect(facts.get('engine.uptime')).toMatchObject(
      seconds === undefined ? { kind: 'unknown' } : { kind: 'known', value: seconds },
    );
  });

  it.each([
    [
      'the status, by what was pasted of it',
      'death.exit-code',
      { 'describe.txt': 'Status: Running\n' },
      ['describe.txt'],
    ],
    ['the log of the run before', 'log.timed-out', { 'previous.log': 'a line\n' }, ['previous.log']],
    ['no log of the run that goes on', 'log.timed-out', { 'current.log': 'a line\n' }, undefined],
    [
      'no file in which nothing stands',
      'death.exit-code',
      { 'describe.txt': ' \n', 'previous.log': 'a line\n' },
      undefined,
    ],
    [
      'no log of another container',
      'log.timed-out',
      { 'side.previous.log': '\n', 'previous.log': 'a line\n' },
      ['previous.log'],
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
