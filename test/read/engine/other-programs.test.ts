import { describe, expect, it } from 'vitest';
import { readEngine } from '../../../src/read/engine/index.ts';
import { factsOfFiles, valueIn } from '../../facts/incident.ts';
import { anInput } from './an-input.ts';

const VLLM = { app: 'vllm' };
const TEI_LOG = 'INFO text_embeddings_router: router/src/lib.rs:250: Warming up model\n';
const VLLM_LOG = 'INFO 07-10 10:00:00 [kv_cache_utils.py:864] GPU KV cache size: 100,000 tokens\n';

describe('a label that names vLLM', () => {
  it.each([
    ['an image', { image: 'ghcr.io/huggingface/text-embeddings-inference:89-1.8' }, 'text-embeddings-inference'],
    ['a mirrored image', { image: 'reg:5000/mirror/text-embeddings-inference:1.8' }, 'text-embeddings-inference'],
    ['a command', { image: 'own/embed:1', command: ['text-embeddings-router'] }, 'text-embeddings-inference'],
    ['a line', { image: 'own/embed:1', log: TEI_LOG }, 'text-embeddings-inference'],
    ['an image of Infinity', { image: 'michaelf34/infinity:0.0.77' }, 'infinity'],
    ['a command of Infinity', { command: ['infinity_emb', 'v2'] }, 'infinity'],
    ['a server of LMCache', { image: 'lmcache/vllm-openai:v0.3.9', command: ['lmcache', 'server'] }, 'lmcache'],
    ['an image of LMCache alone', { image: 'lmcache/standalone:v0.3.9' }, 'lmcache'],
    [
      'a microservice of embeddings',
      { image: 'nvcr.io/nim/nvidia/llama-3.2-nv-embedqa-1b-v2:1.6.0' },
      'nemo-retriever',
    ],
    ['a proxy by its own name', { image: 'ghcr.io/berriai/litellm:main-v1.75.0' }, 'unknown'],
    ['a router', { image: 'ghcr.io/vllm-project/production-stack/router:v0.1.10' }, 'unknown'],
    ['a proxy', { image: 'envoyproxy/envoy:v1.33' }, 'unknown'],
    ['what its owner owns besides', { image: 'ghcr.io/vllm-project/semantic-router/extproc:v0.1' }, 'unknown'],
  ])('does not win against %s of another program', (_, clues, engine) => {
    expect(readEngine(anInput({ labels: VLLM, ...clues })).engine).toBe(engine);
  });

  it.each([
    ['of what the pod is a part of', { 'app.kubernetes.io/part-of': 'vllm' }, 'unknown'],
    ['of what manages it', { 'app.kubernetes.io/managed-by': 'vllm-operator' }, 'unknown'],
    ['beside one that names a helper', { release: 'vllm', component: 'vllm-router' }, 'unknown'],
    ['of what it is', { 'app.kubernetes.io/name': 'vllm', 'app.kubernetes.io/part-of': 'chat' }, 'vllm'],
  ])('%s', (_, labels, engine) => {
    expect(readEngine(anInput({ labels, image: 'own/server:1' })).engine).toBe(engine);
  });
});

describe('what stands beside an engine in its image', () => {
  const image = 'vllm/vllm-openai:v0.11.0';

  it.each([
    ['the router of vLLM', ['vllm-router'], 'unknown'],
    ['its module', ['python3', '-m', 'vllm_router.app'], 'unknown'],
    ['the router of SGLang', ['python3', '-m', 'sglang_router.launch_router'], 'unknown'],
    ['the front end of Dynamo', ['python3', '-m', 'dynamo.frontend'], 'unknown'],
    ['the server that starts engines behind its router', ['python3', '-m', 'sglang_router.launch_server'], 'sglang'],
    ['the engine of Dynamo', ['python3', '-m', 'dynamo.vllm'], 'vllm'],
    ['both', ['python3', '-m', 'dynamo.frontend', 'python3', '-m', 'dynamo.vllm'], 'vllm'],
    ['a model that is called so', ['vllm', 'serve', 'own/text-embeddings-router'], 'vllm'],
  ])('%s', (_, command, engine) => {
    expect(readEngine(anInput({ image, labels: VLLM, command })).engine).toBe(engine);
  });

  it('is the engine where its image is a proxy, but only an engine prints such lines', () => {
    expect(readEngine(anInput({ image: 'own/inference-proxy:1', log: VLLM_LOG })).engine).toBe('vllm');
  });
});

type Given = { readonly image: string; readonly command?: readonly string[]; readonly log?: string };

async function factsOf({ image, command = [], log }: Given) {
  const lastState = { terminated: { reason: 'OOMKilled', exitCode: 137 } };
  const pod = {
    metadata: { name: 'p', labels: VLLM },
    spec: { containers: [{ name: 'main', image, command }] },
    status: { containerStatuses: [{ name: 'main', restartCount: 1, lastState }] },
  };
  const files = { 'pod.json': JSON.stringify(pod), ...(log === undefined ? {} : { 'previous.log': log }) };
  return factsOfFiles(files);
}

describe('facts of another program', () => {
  it.each([
    ['its image', { image: 'ghcr.io/huggingface/text-embeddings-inference:1.8' }, '/spec/containers/0/image'],
    ['its command', { image: 'own/e:1', command: ['text-embeddings-router'] }, '/spec/containers/0/command/0'],
  ])('name the server by %s, and no knob of vLLM', async (_, given, path) => {
    const facts = await factsOf(given);

    expect(facts.get('engine.name')).toMatchObject({ value: 'text-embeddings-inference', from: [{ path }] });
    expect(facts.get('engine.trial-run')?.kind).not.toBe('known');
  });

  it('name the server by its line', async () => {
    const name = (await factsOf({ image: 'own/e:1', log: TEI_LOG })).get('engine.name');

    expect(name).toMatchObject({ value: 'text-embeddings-inference', from: [{ file: 'previous.log', line: 1 }] });
  });

  it.each([
    ['a router', { image: 'ghcr.io/vllm-project/production-stack/router:v0.1.10' }, 'helper'],
    ['a router in an image of the engine', { image: 'vllm/vllm-openai:v0.11.0', command: ['vllm-router'] }, 'helper'],
    ['one in a script', { image: 'own/x:1', command: ['sh', '-c', 'exec python3 -m vllm_router.app'] }, 'helper'],
    [
      'a front end beside its engine',
      { image: 'own/x:1', command: ['sh', '-c', 'python3 -m dynamo.frontend & python3 -m dynamo.vllm'] },
      'engine',
    ],
    ['an engine', { image: 'vllm/vllm-openai:v0.11.0' }, 'engine'],
    ['a server of embeddings', { image: 'michaelf34/infinity:1' }, 'engine'],
  ])('tell the part of %s in the pod', async (_, given, role) => {
    expect((await factsOf(given)).get('death.container-role')).toMatchObject({ value: role });
  });

  it('tell the engine from a router in its image that was given a GPU as well', async () => {
    const resources = { limits: { 'nvidia.com/gpu': '1' } };
    const lastState = { terminated: { reason: 'OOMKilled', exitCode: 137 } };
    const pod = {
      metadata: { name: 'p' },
      spec: {
        containers: [
          { name: 'front', image: 'vllm/vllm-openai:v0.11.0', command: ['vllm-router'], resources },
          { name: 'back', image: 'own/vllm:1', resources },
        ],
      },
      status: { containerStatuses: [{ name: 'front', restartCount: 1, lastState }] },
    };
    expect(await valueIn({ 'pod.json': JSON.stringify(pod) }, 'death.container-role')).toBe('sidecar');
  });
});
