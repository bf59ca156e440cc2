import { expect, it } from 'vitest';
import { diagnoseFiles, valueIn } from '../incident.ts';
import { ended, podFile } from '../pod.ts';

const PICKLED = 'Loading pt checkpoint shards:  25% Completed | 1/4 [00:02<00:08,  2.9s/it]';
const START = 'INFO 09-14 08:00:00 [api_server.py:1234] vLLM API server version 0.11.0';

const logOf = (...lines: readonly string[]) => `${[START, ...lines].join('\n')}\n`;

const saysOf = async (line: string) => {
  const files = {
    ...podFile({
      container: { resources: { limits: { memory: '24Gi' } } },
      status: { lastState: ended('OOMKilled', 137) },
    }),
    'previous.log': logOf(line),
    'args.txt': 'vllm serve acme/m --tensor-parallel-size 4\n',
  };
  const { diagnosis } = await diagnoseFiles(files);
  return { cause: diagnosis.verdict.cause, says: diagnosis.verdict.remedies.map(({ says }) => says).join('\n') };
};

it('safetensors as a remedy is offered where the log shows that the files are pickled', async () => {
  const { cause, says } = await saysOf(PICKLED);

  expect(cause).toMatch(/^host\.startup\./);
  expect(says).toContain('safetensors');
});

const SIZE = 'Filesystem type for checkpoints: EXT4. Checkpoint size: 32.00 GiB. Available RAM: 64.00 GiB.';

it.each([
  ['all of one GPU', '', 32],
  ['a part of each rank', '--tensor-parallel-size 4', 8],
  ['not known where they are quantized while they load', '--quantization fp8', undefined],
])('the size of the files is %s', async (_, flags, gib) => {
  const files = { 'previous.log': logOf(SIZE), 'args.txt': `vllm serve acme/m ${flags}\n` };

  expect(await valueIn(files, 'engine.weights')).toBe(gib && gib * 2 ** 30);
});
