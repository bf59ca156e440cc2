import { describe, expect, it } from 'vitest';
import { diagnoseSource, readFacts } from '../../../src/app/triage/diagnose.ts';
import { aSnapshot, COMPILED_PHRASES, judge } from '../../playbooks/shipped.ts';

const MAPPED = 'Loading safetensors checkpoint shards:  25% Completed | 1/4 [00:02<00:08,  2.9s/it]';
const EAGER = 'Loading safetensors checkpoint shards (eager):  25% Completed | 3/12 [00:31<01:34, 10.52s/it]';
const PICKLED = 'Loading pt checkpoint shards:  25% Completed | 1/4 [00:02<00:08,  2.9s/it]';
const START = 'INFO 09-14 08:00:00 [api_server.py:1234] vLLM API server version 0.11.0';

const logOf = (...lines: readonly string[]) => `${[START, ...lines].join('\n')}\n`;

describe('the files of the weights', () => {
  const fileOf = async (line: string, args = 'vllm serve acme/m') => {
    const files = { 'previous.log': logOf(line), 'args.txt': `${args}\n` };
    const fact = (await readFacts(aSnapshot(files), COMPILED_PHRASES)).get('engine.safetensors');
    return fact?.kind === 'known' ? fact.value : undefined;
  };

  it.each([
    ['mapped safetensors', MAPPED, undefined, true],
    ['safetensors that are read whole', EAGER, undefined, true],
    ['pickled files', PICKLED, undefined, false],
    ['a file that an error names', 'OSError: unable to mmap /m/model-00001-of-00002.safetensors', undefined, true],
    ['a file that is not there', 'OSError: no file named model.safetensors found in /m', undefined, undefined],
    ['the format that was asked for', 'a line', 'vllm serve m --load-format runai_streamer', true],
    ['pickled files that were asked for', 'a line', 'vllm serve m --load-format pt', false],
    ['nothing', 'a line', undefined, undefined],
  ])('are told by %s', async (_, line, args, value) => {
    expect(await fileOf(line, args)).toBe(value);
  });
});

describe('safetensors as a remedy', () => {
  const saysOf = async (line: string) => {
    const pod = {
      metadata: { name: 'p' },
      spec: {
        containers: [{ name: 'e', image: 'vllm/vllm-openai:v0.11.0', resources: { limits: { memory: '24Gi' } } }],
      },
      status: {
        containerStatuses: [
          { name: 'e', restartCount: 1, lastState: { terminated: { reason: 'OOMKilled', exitCode: 137 } } },
        ],
      },
    };
    const files = {
      'pod.json': JSON.stringify(pod),
      'previous.log': logOf(line),
      'args.txt': 'vllm serve acme/m --tensor-parallel-size 4\n',
    };
    const { diagnosis } = await diagnoseSource(aSnapshot(files), { phrases: COMPILED_PHRASES, judge });
    return { cause: diagnosis.verdict.cause, says: diagnosis.verdict.remedies.map(({ says }) => says).join('\n') };
  };

  it.each([
    ['are mapped', MAPPED, false],
    ['are safetensors and read whole', EAGER, false],
    ['are pickled', PICKLED, true],
  ])('is offered by what the log shows: files that %s', async (_, line, isOffered) => {
    const { cause, says } = await saysOf(line);

    expect(cause).toMatch(/^host\.startup\./);
    expect(/safetensors/.test(says)).toBe(isOffered);
  });
});
