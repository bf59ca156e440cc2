import { describe, expect, it } from 'vitest';
import { readFacts } from '../../../src/app/triage/diagnose.ts';
import { aSnapshot, COMPILED_PHRASES } from '../../playbooks/shipped.ts';

type Container = { readonly image?: string; readonly command?: readonly string[]; readonly args?: readonly string[] };

async function factsOf(labels: Readonly<Record<string, string>>, container: Container = {}, log = '') {
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
  return readFacts(aSnapshot(files), COMPILED_PHRASES);
}

async function wrapperOf(...given: Parameters<typeof factsOf>) {
  return (await factsOf(...given)).get('engine.wrapper');
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

describe('what the platform around the engine does', () => {
  const KAITO = { 'kaito.sh/workspace': 'w' };
  const BANNER = (version: string) => `INFO 02-01 09:00:11 [api_server.py:1896] vLLM API server version ${version}\n`;

  it.each([
    [
      'KServe',
      { 'serving.kserve.io/inferenceservice': 'm' },
      'spec.predictor.model.args',
      'KServe makes the Deployment',
    ],
    ['KAITO', KAITO, 'inference_config.yaml', 'KAITO makes the StatefulSet'],
    ['Ray Serve', { 'ray.io/node-type': 'worker' }, 'serveConfigV2', 'pods that stay Running'],
    ['LeaderWorkerSet', { 'leaderworkerset.sigs.k8s.io/name': 'x' }, 'spec.leaderWorkerTemplate', 'whole group anew'],
    ['production-stack', { 'helm-release-name': 'vllm' }, 'vllmConfig', 'helm upgrade'],
    ['llm-d', { 'llm-d.ai/model': 'm' }, 'under decode and under prefill', 'upgrade of the chart'],
    ['NIM', { 'app.kubernetes.io/managed-by': 'k8s-nim-operator' }, 'NIM_*', 'operator of NIM'],
  ] as const)('%s: where arguments stand, and who undoes a change', async (_, labels, at, restarts) => {
    const facts = await factsOf(labels);

    expect(facts.get('wrapper.arguments-at')).toMatchObject({ value: expect.stringContaining(at) });
    expect(facts.get('wrapper.restarts')).toMatchObject({ value: expect.stringContaining(restarts) });
  });

  it('nothing is known of an engine that runs on its own', async () => {
    const facts = await factsOf({ app: 'vllm' });

    expect(facts.get('wrapper.arguments-at')).toMatchObject({ kind: 'unknown' });
    expect(facts.get('ram.offload-by-default')).toMatchObject({ kind: 'unknown' });
  });

  it.each([
    ['0.6.3', 'KAITO 0.4.4 or older', '(0.95)', undefined],
    ['0.9.0', 'KAITO 0.6.2', '(0.90 to 0.95', undefined],
    ['0.10.1.1', 'KAITO 0.7', '(0.84)', true],
    ['0.12.0', 'KAITO 0.8', '(0.84)', true],
    ['0.25.1', 'KAITO 0.12', 'on A10 0.82', true],
  ])('the release of KAITO shows in vLLM %s', async (version, release, sets, offloads) => {
    const facts = await factsOf(KAITO, {}, BANNER(version));

    expect(facts.get('wrapper.version')).toMatchObject({ value: release });
    expect(facts.get('wrapper.sets')).toMatchObject({ value: expect.stringContaining(sets) });
    expect(facts.get('ram.offload-by-default')).toMatchObject(
      offloads === true ? { value: true } : { kind: 'unknown' },
    );
  });

  it('KAITO offloads to RAM where its version is not known, and not where it was told not to', async () => {
    const image = 'mcr.microsoft.com/aks/kaito/kaito-base:0.0.5';
    const told = { image, args: ['--kaito-kv-cache-cpu-memory-utilization', '0'] };

    expect((await factsOf(KAITO, { image })).get('ram.offload-by-default')).toMatchObject({ value: true });
    expect((await factsOf(KAITO, {}, BANNER('0.1.dev1+g0ab1'))).get('ram.offload-by-default')).toMatchObject({
      value: true,
    });
    expect((await factsOf(KAITO, told)).get('ram.offload-by-default')).toMatchObject({ kind: 'unknown' });
  });

  it('KAITO says the fraction that it set, and what it takes for KV blocks in RAM', async () => {
    const log = [
      'INFO:__main__:Set default gpu_memory_utilization to 0.79',
      'INFO:__main__:Offload KV cache to CPU RAM, size limit: 400.00 * 0.5 GB split among 2 GPUs',
    ];
    const facts = await factsOf(KAITO, {}, `${log.join('\n')}\n`);
    const given = await factsOf(KAITO, { args: ['--gpu-memory-utilization', '0.9'] }, `${log.join('\n')}\n`);

    expect(facts.get('engine.utilization')).toMatchObject({ value: 0.79, from: [{ line: 1 }] });
    expect(given.get('engine.utilization')).toMatchObject({ value: 0.9 });
    expect(facts.get('ram.offload-bytes')).toMatchObject({ value: 200 * 1024 ** 3, from: [{ line: 2 }] });
  });

  it('NIM says its own version', async () => {
    const facts = await factsOf({}, {}, 'NVIDIA Inference Microservice LLM NIM Version 1.8.4\n');

    expect(facts.get('wrapper.version')).toMatchObject({ value: 'NIM 1.8.4' });
  });
});
