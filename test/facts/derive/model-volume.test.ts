import { describe, expect, it } from 'vitest';
import { readFacts } from '../../../src/app/diagnose.ts';
import { BOOK } from '../../playbooks/book.ts';
import { aSnapshot, COMPILED_PHRASES } from '../../playbooks/shipped.ts';
import { aPod } from '../../read/cluster/a-pod.ts';

type Given = {
  readonly model: string;
  readonly path: string;
  readonly medium?: string;
  readonly env?: readonly object[];
};

async function volumeOf({ model, path, medium = 'Memory', env = [] }: Given) {
  const container = {
    args: ['--model', model],
    env,
    volumeMounts: [{ name: 'files', mountPath: path }],
  };
  const base = aPod({ container });
  const pod = { ...base, spec: { ...base.spec, volumes: [{ name: 'files', emptyDir: { medium } }] } };
  const facts = await readFacts(aSnapshot({ 'pod.json': JSON.stringify(pod) }), COMPILED_PHRASES, BOOK);
  const found = facts.get('ram.model-volume');
  return found?.kind === 'known' ? found.value : undefined;
}

describe('a volume in memory that holds the model', () => {
  it.each([
    ['the model lies in it', { model: '/models/qwen3-32b', path: '/models/' }, '/models'],
    [
      'the cache of downloads lies in it',
      { model: 'acme/m', path: '/cache', env: [{ name: 'HF_HOME', value: '/cache/hf' }] },
      '/cache',
    ],
    ['the model lies beside it', { model: '/models-old/m', path: '/models' }, undefined],
    ['it is on disk', { model: '/models/m', path: '/models', medium: '' }, undefined],
    ['it is that of shared memory', { model: '/dev/shm/m', path: '/dev/shm' }, undefined],
  ] as [string, Given, string | undefined][])('%s', async (_, given, expected) => {
    expect(await volumeOf(given)).toBe(expected);
  });
});
