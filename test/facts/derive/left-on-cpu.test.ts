import { describe, expect, it } from 'vitest';
import { readFacts } from '../../../src/app/triage/diagnose.ts';
import { BOOK } from '../../playbooks/book.ts';
import { aSnapshot, COMPILED_PHRASES } from '../../playbooks/shipped.ts';

const GIB = 1024 ** 3;
const START = (cmd: string) =>
  `time=2026-09-14T09:30:01.301Z level=INFO source=server.go:400 msg="starting runner" cmd="${cmd}"\n`;
const OWN = START('/usr/bin/ollama runner --ollama-engine --port 36781');
const row = (kind: string, device: string, size: string) =>
  `time=2026-09-14T09:30:02.601Z level=INFO source=device.go:240 msg="${kind}" device=${device} size="${size}"\n`;

async function leftOf(log: string) {
  const files = { 'previous.log': log, 'incident.json': '{"engine":"ollama"}' };
  const left = (await readFacts(aSnapshot(files), COMPILED_PHRASES, BOOK)).get('ram.left-on-cpu');
  return left?.kind === 'known' ? Number(left.value) / GIB : undefined;
}

describe('what Ollama leaves in RAM', () => {
  it.each([
    [
      'is the sum of its lines on the processor',
      OWN +
        row('model weights', 'CUDA0', '19.8 GiB') +
        row('model weights', 'CPU', '11.5 GiB') +
        row('kv cache', 'CPU', '1.5 GiB'),
      13,
    ],
    [
      'is the last of several layouts',
      OWN + row('model weights', 'CPU', '20.0 GiB') + row('model weights', 'CPU', '12.0 GiB'),
      12,
    ],
    [
      'is that of the last runner',
      OWN + row('kv cache', 'CPU', '3.0 GiB') + OWN + row('model weights', 'CPU', '12.0 GiB'),
      12,
    ],
    [
      'is mapped by the runner of llama.cpp',
      START('/usr/bin/ollama runner --port 36781') + row('model weights', 'CPU', '12.0 GiB'),
      undefined,
    ],
    ['is nothing where all lies on the cards', OWN + row('model weights', 'CUDA0', '19.8 GiB'), undefined],
  ])('%s', async (_, log, gib) => {
    expect(await leftOf(log)).toBe(gib);
  });

  it('is what the limit has to hold, with three tenths more', async () => {
    const files = {
      'previous.log': OWN + row('model weights', 'CPU', '12.0 GiB'),
      'pod.json': JSON.stringify({
        kind: 'Pod',
        metadata: { name: 'ollama-0', namespace: 'llm' },
        spec: {
          containers: [{ name: 'ollama', image: 'ollama/ollama:0.12.6', resources: { limits: { memory: '8Gi' } } }],
        },
      }),
    };
    const raised = (await readFacts(aSnapshot(files), COMPILED_PHRASES, BOOK)).get('ram.limit-raised');

    expect(raised).toMatchObject({ value: 16 * GIB });
  });
});
