import { describe, expect, it } from 'vitest';
import { versionOfImage } from '../../../src/read/engine/image-version.ts';
import { factsOfFiles, valueOfFact } from '../../facts/incident.ts';
import { aPod } from '../cluster/a-pod.ts';

describe('the version of an engine by its image', () => {
  it.each([
    ['vllm', 'vllm/vllm-openai:v0.11.0', '0.11.0'],
    ['vllm', 'docker.io/vllm/vllm-openai:v0.10.1.1', '0.10.1.1'],
    ['vllm', 'vllm/vllm-openai:v0.11.0-x86_64', '0.11.0'],
    ['vllm', 'vllm/vllm-openai:v0.8.5.post1', '0.8.5.post1'],
    ['vllm', 'vllm/vllm-openai-rocm:v0.14.0', '0.14.0'],
    ['vllm', 'public.ecr.aws/q9t5s3a7/vllm-cpu-release-repo:v0.11.0', '0.11.0'],
    ['vllm', 'quay.io/ascend/vllm-ascend:v0.9.1-openeuler', '0.9.1'],
    ['vllm', 'public.ecr.aws/deep-learning-containers/vllm:0.15-gpu-py312-ec2', '0.15'],
    ['sglang', 'lmsysorg/sglang:v0.5.10-rocm700-mi30x', '0.5.10'],
    ['sglang', 'lmsysorg/sglang:v0.4.9.post2-cu126', '0.4.9.post2'],
    ['tgi', 'ghcr.io/huggingface/text-generation-inference:3.3.4-rocm', '3.3.4'],
    ['lmdeploy', 'openmmlab/lmdeploy:v0.9.2-cu12', '0.9.2'],
    ['ollama', 'ollama/ollama:0.12.6', '0.12.6'],
    ['llama.cpp', 'ghcr.io/ggml-org/llama.cpp:server-b11434', '11434'],
    ['llama.cpp', 'ghcr.io/ggml-org/llama.cpp:server-cuda-b9000', '9000'],
    ['tensorrt-llm', 'nvcr.io/nvidia/tensorrt-llm/release:1.0.0rc4', '1.0.0rc4'],
    // A registry or a mirror before it, a port, a digest beside the tag.
    ['vllm', 'registry.internal/dockerhub/vllm/vllm-openai:v0.11.0', '0.11.0'],
    ['vllm', 'localhost:5000/vllm/vllm-openai:v0.11.0@sha256:0ab1', '0.11.0'],
    ['sglang', 'harbor/proxy/lmsysorg/sglang:v0.5.9-cu129', '0.5.9'],
    ['vllm', 'vllm-openai:v0.11.0', '0.11.0'],
    ['vllm', '123456789012.dkr.ecr.eu-west-1.amazonaws.com/vllm-openai:v0.11.0', '0.11.0'],
    ['sglang', 'registry.example/docker-remote/sglang:v0.5.3', '0.5.3'],
    // What a tag says of the engine by name, whose repository it ever is.
    ['vllm', 'rocm/vllm:rocm6.4.1_vllm_0.9.1_20250715', '0.9.1'],
    ['vllm', 'rocm/vllm:rocm6.3.1_instinct_vllm0.8.3_20250415', '0.8.3'],
    ['vllm', 'rocm/vllm:rocm7.12.0_gfx950-dcgpu_ubuntu24.04_py3.12_pytorch_2.9.1_vllm_0.16.0', '0.16.0'],
    ['sglang', 'gpustack/runner:cuda12.8-sglang0.5.5.post1', '0.5.5.post1'],
    ['tgi', 'acme.example/huggingface-pytorch-tgi-inference:2.7.0-tgi3.3.4-gpu-py311', '3.3.4'],
    ['tensorrt-llm', 'acme.example/djl-inference:0.27.0-tensorrtllm0.8.0-cu124', '0.8.0'],
  ])('%s in %s: %s', (engine, image, version) => {
    expect(versionOfImage(engine, image)).toBe(version);
  });

  it.each([
    ['what somebody built around it', 'vllm', 'harbor.acme.example/llm/chat-server:0.27.1'],
    ['LMCache, with the name of the repository of vLLM', 'vllm', 'lmcache/vllm-openai:v0.3.7'],
    ['somebody else’s build of that name', 'vllm', 'acme/vllm-openai:v0.3.7'],
    ['a name that only begins so', 'vllm', 'acme/vllm/vllm-openai-patched:v0.3.1'],
    ['DJL', 'vllm', 'deepjavalibrary/djl-serving:0.33.0-lmi15.0.0-cu128'],
    ['the month of NVIDIA', 'vllm', 'nvcr.io/nvidia/vllm:25.09-py3'],
    ['the month of NVIDIA', 'sglang', 'nvcr.io/nvidia/sglang:25.10-py3'],
    ['the product of Red Hat', 'vllm', 'registry.redhat.io/rhaiis/vllm-cuda-rhel9:3.2.0'],
    ['Triton', 'vllm', 'nvcr.io/nvidia/tritonserver:25.03-vllm-python-py3'],
    ['Triton itself', 'triton', 'nvcr.io/nvidia/tritonserver:25.03-py3'],
    ['KServe', 'vllm', 'kserve/huggingfaceserver:v0.15.0-gpu'],
    ['KAITO', 'vllm', 'mcr.microsoft.com/aks/kaito/kaito-base:0.0.8'],
    ['Ray', 'vllm', 'rayproject/ray-llm:2.46.0-py311-cu124'],
    ['llm-d', 'vllm', 'ghcr.io/llm-d/llm-d-cuda:v0.3.0'],
    ['NIM', 'vllm', 'nvcr.io/nim/meta/llama3-8b-instruct:1.8.4'],
    ['Dynamo', 'vllm', 'nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.6.1'],
    ['a development build of ROCm', 'vllm', 'rocm/vllm:v0.14.0_amd_dev'],
    ['AWS’s own count of the newer kind', 'vllm', 'public.ecr.aws/deep-learning-containers/vllm:server-cuda-v1.0.0'],
    ['a component of the tag’s name', 'vllm', 'acme/services:vllm-0.3.1'],
    ['a commit', 'vllm', 'vllm/vllm-openai:nightly-0123abc'],
    ['a number that no release bears', 'vllm', 'vllm/vllm-openai:v25.9.0'],
    ['the newest', 'vllm', 'vllm/vllm-openai:latest'],
    ['a digest alone', 'vllm', 'vllm/vllm-openai@sha256:0ab1'],
    ['no tag behind a port', 'vllm', 'registry.example:5000/vllm/vllm-openai'],
    ['another engine', 'sglang', 'vllm/vllm-openai:v0.11.0'],
    ['no image', 'vllm', undefined],
  ])('is not that of %s (%s in %s)', (_what, engine, image) => {
    expect(versionOfImage(engine, image)).toBeUndefined();
  });
});

describe('an engine in an image of somebody’s own', () => {
  const START = 'INFO 02-08 10:00:02 [api_server.py:1896] vLLM API server version 0.11.0\n';
  const factsOf = async (image: string, log?: string) => {
    const pod = aPod({ container: { image, command: ['vllm', 'serve', 'acme/m'], args: [] } });
    const files = { 'pod.json': JSON.stringify(pod), ...(log === undefined ? {} : { 'current.log': log }) };
    const facts = await factsOfFiles(files);
    return (id: string) => valueOfFact(facts, id);
  };

  it.each(['acme.example/llm/chat-server:0.27.1', 'nvcr.io/nvidia/vllm:25.09-py3', 'acme/rhaiis:3.2.0'])(
    'has no version and none of its defaults: %s',
    async (image) => {
      const value = await factsOf(image);

      expect(value('engine.name')).toBe('vllm');
      expect(value('engine.version')).toBeUndefined();
      expect(value('engine.generation')).toBeUndefined();
      expect(value('engine.utilization')).toBeUndefined();
    },
  );

  it('has the version that its log prints, whatever the tag says', async () => {
    const value = await factsOf('vllm/vllm-openai:v0.21.0', START);

    expect(value('engine.version')).toBe('0.11.0');
    expect(value('engine.utilization')).toBe(0.9);
  });

  it('is still told by a label', async () => {
    const pod = aPod({
      metadata: { labels: { 'app.kubernetes.io/name': 'vllm' } },
      container: { image: 'acme.example/chat:1.0', command: [], args: [] },
    });
    const facts = await factsOfFiles({ 'pod.json': JSON.stringify(pod) });

    expect(facts.get('engine.name')).toMatchObject({
      value: 'vllm',
      from: [{ file: 'pod.json', path: '/metadata/labels/app.kubernetes.io~1name' }],
    });
  });
});
