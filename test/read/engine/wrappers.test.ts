import { describe, expect, it } from 'vitest';
import { argumentsAt, kaitoRelease, readWrappers, WRAPPERS } from '../../../src/read/engine/wrappers.ts';
import { scan } from '../log/scan-text.ts';

type Given = {
  readonly labels?: Readonly<Record<string, string>>;
  readonly image?: string;
  readonly words?: readonly string[];
  readonly log?: string;
};

function wrappersIn({ labels = {}, image, words = [], log = '' }: Given) {
  const from = { kind: 'field' as const, file: 'pod.json', path: '/spec', text: '' };
  return readWrappers({
    image: image === undefined ? undefined : { value: image, from },
    words: words.map((value) => ({ value, from })),
    labels: Object.entries(labels).map(([key, value]) => ({
      key,
      value,
      from: { ...from, path: `/metadata/labels/${key}` },
    })),
    logs: [scan(log)],
  });
}

describe('what wraps an engine', () => {
  it.each<[string, readonly string[], Given]>([
    ['KServe by its label', ['kserve'], { labels: { 'serving.kserve.io/inferenceservice': 'm' } }],
    ['KServe by its image', ['kserve'], { image: 'kserve/huggingfaceserver:v0.15.0-gpu' }],
    ['KAITO by its label', ['kaito'], { labels: { 'kaito.sh/workspace': 'w' } }],
    ['KAITO by its command', ['kaito'], { words: ['python3 /workspace/vllm/inference_api.py --port=5000'] }],
    ['KAITO by its line', ['kaito'], { log: 'INFO:__main__:Set default gpu_memory_utilization to 0.94\n' }],
    ['Ray Serve by its label', ['ray-serve'], { labels: { 'ray.io/node-type': 'worker' } }],
    ['Ray Serve by two words', ['ray-serve'], { words: ['ray', 'start', '--block'] }],
    ['LeaderWorkerSet', ['leader-worker-set'], { labels: { 'leaderworkerset.sigs.k8s.io/name': 'vllm' } }],
    ['production-stack', ['production-stack'], { labels: { 'helm-release-name': 'vllm', model: 'opt125m' } }],
    ['llm-d', ['llm-d'], { labels: { 'llm-d.ai/inference-serving': 'true' } }],
    ['NIM by its image', ['nim'], { image: 'registry/nim/meta/llama3-8b-instruct:1.8.4' }],
    ['NIM by its operator', ['nim'], { labels: { 'app.kubernetes.io/managed-by': 'k8s-nim-operator' } }],
    ['NIM by its banner', ['nim'], { log: 'NVIDIA Inference Microservice LLM NIM Version 1.8.4\n' }],
    [
      'two at once',
      ['leader-worker-set', 'llm-d'],
      { labels: { 'leaderworkerset.sigs.k8s.io/name': 'x', 'llm-d.ai/model': 'm' } },
    ],
    ['a plain deployment', [], { labels: { app: 'vllm' } }],
    ['a model with such a name', [], { words: ['--model', 'acme/kaito-7b', '--served-model-name', 'llm-d'] }],
    ['an image that only sounds like it', [], { image: 'acme/nimble/vllm:1' }],
    ['a user called ray', [], { words: ['su', 'ray', '-c', 'vllm serve m'] }],
  ])('%s', (_, wrappers, given) => {
    expect(wrappersIn(given).map(({ value }) => value)).toEqual(wrappers);
  });

  it('cites the label or the line', () => {
    expect(wrappersIn({ labels: { 'kaito.sh/workspace': 'w' } })[0]?.from).toMatchObject({
      path: '/metadata/labels/kaito.sh/workspace',
    });
    expect(wrappersIn({ log: 'NVIDIA Inference Microservice LLM NIM Version 1.8.4\n' })[0]?.from).toMatchObject({
      kind: 'line',
      line: 1,
    });
  });

  it.each(WRAPPERS)('says where the arguments under %s stand', (wrapper) => {
    expect(argumentsAt(wrapper)).toMatch(/^Arguments /);
  });
});

it.each([
  ['0.6.3', '0.4.4 or older'],
  ['0.9.0', '0.6.2'],
  ['0.10.1.1', '0.7'],
  ['0.25.1', '0.12'],
  ['0.5.0', undefined],
])('vLLM %s comes with KAITO %s', (vllm, release) => {
  expect(kaitoRelease(vllm)).toBe(release);
});
