import { describe, expect, it } from 'vitest';
import { readFacts } from '../../../src/app/diagnose.ts';
import { aSnapshot, COMPILED_PHRASES } from '../../playbooks/shipped.ts';

type Container = { readonly image?: string; readonly command?: readonly string[]; readonly args?: readonly string[] };

async function wrapperOf(labels: Readonly<Record<string, string>>, container: Container = {}, log = '') {
  const pod = {
    metadata: { name: 'p', labels },
    spec: {
      containers: [
        {
          name: 'engine',
          image: 'vllm/vllm-openai:v0.11.0',
          ...container,
          resources: { limits: { 'nvidia.com/gpu': '1' } },
        },
      ],
    },
    status: {},
  };
  const files = { 'pod.json': JSON.stringify(pod), ...(log === '' ? {} : { 'current.log': log }) };
  return (await readFacts(aSnapshot(files), COMPILED_PHRASES)).get('engine.wrapper');
}

describe('what wraps an engine', () => {
  it.each([
    ['KServe by its label', 'kserve', { 'serving.kserve.io/inferenceservice': 'm' }, {}],
    ['KServe by its image', 'kserve', {}, { image: 'kserve/huggingfaceserver:v0.15.0-gpu' }],
    ['KAITO by its label', 'kaito', { 'kaito.sh/workspace': 'w' }, {}],
    [
      'KAITO by its command',
      'kaito',
      {},
      { command: ['/bin/sh', '-c', 'python3 /workspace/vllm/inference_api.py --port=5000'] },
    ],
    ['Ray Serve by its label', 'ray-serve', { 'ray.io/node-type': 'worker' }, {}],
    ['Ray Serve by two words', 'ray-serve', {}, { command: ['ray', 'start', '--block'] }],
    ['LeaderWorkerSet', 'leader-worker-set', { 'leaderworkerset.sigs.k8s.io/name': 'vllm' }, {}],
    ['production-stack', 'production-stack', { 'helm-release-name': 'vllm', model: 'opt125m' }, {}],
    ['llm-d', 'llm-d', { 'llm-d.ai/inference-serving': 'true' }, {}],
    ['NIM by its image', 'nim', {}, { image: 'nvcr.io/nim/meta/llama3-8b-instruct:1.8.4' }],
    ['NIM by its operator', 'nim', { 'app.kubernetes.io/managed-by': 'k8s-nim-operator' }, {}],
    ['two at once', 'leader-worker-set, llm-d', { 'leaderworkerset.sigs.k8s.io/name': 'x', 'llm-d.ai/model': 'm' }, {}],
  ] as const)('%s', async (_, wrapper, labels, container) => {
    expect(await wrapperOf(labels, container)).toMatchObject({ kind: 'known', value: wrapper });
  });

  it.each([
    ['by a line of KAITO', 'kaito', 'INFO:__main__:Set default gpu_memory_utilization to 0.94\n'],
    ['by the banner of NIM', 'nim', 'NVIDIA Inference Microservice LLM NIM Version 1.8.4\n'],
  ])('is told %s', async (_, wrapper, log) => {
    expect(await wrapperOf({}, {}, log)).toMatchObject({
      value: wrapper,
      from: [{ kind: 'line', file: 'current.log', line: 1 }],
    });
  });

  it('cites the label byte for byte', async () => {
    expect(await wrapperOf({ 'kaito.sh/workspace': 'w' })).toMatchObject({
      from: [{ kind: 'field', file: 'pod.json', path: '/metadata/labels/kaito.sh~1workspace', text: '"w"' }],
    });
  });

  it.each([
    ['a plain deployment', { app: 'vllm' }, {}],
    ['a model that bears the name', {}, { args: ['--model', 'acme/kaito-7b', '--served-model-name', 'llm-d'] }],
    ['an image that only sounds like it', {}, { image: 'acme/nimble/vllm:1' }],
    ['a user called ray', {}, { command: ['su', 'ray', '-c', 'vllm serve m'] }],
  ] as const)('%s is none', async (_, labels, container) => {
    expect(await wrapperOf(labels, container)).toMatchObject({ kind: 'unknown' });
  });
});
