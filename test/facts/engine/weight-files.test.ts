import { describe, expect, it } from 'vitest';
import { diagnoseFiles } from '../incident.ts';
import { ended, podFile } from '../pod.ts';

const PICKLED = 'Loading pt checkpoint shards:  25% Completed | 1/4 [00:02<00:08,  2.9s/it]';
const START = 'INFO 09-14 08:00:00 [api_server.py:1234] vLLM API server version 0.11.0';

const logOf = (...lines: readonly string[]) => `${[START, ...lines].join('\n')}\n`;

describe('safetensors as a remedy', () => {
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

  it('is offered where the log shows that the files are pickled', async () => {
    const { cause, says } = await saysOf(PICKLED);

    expect(cause).toMatch(/^host\.startup\./);
    expect(says).toContain('safetensors');
  });
});
