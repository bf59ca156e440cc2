import { readVersion } from '../../model/flag-table.ts';

type Images = {
  /** Repositories whose tags are versions of the engine, by the last parts of their names. */
  readonly own: readonly string[];
  /** How the tag of any image names the engine among other things. */
  readonly word: string;
  /** What its own tags look like, where not like a version. */
  readonly ownTag?: RegExp;
};

// What a repository elsewhere is called like one of these, tags count something else: lmcache/vllm-openai counts LMCache,
// nvcr.io/nvidia/vllm months, rhaiis Red Hat's product, djl-serving DJL.
const IMAGES: Readonly<Record<string, Images>> = {
  vllm: {
    own: [
      // vllm-project/vllm docs/deployment/docker.md, .buildkite/release-pipeline.yaml.
      'vllm/vllm-openai',
      'vllm/vllm-openai-rocm',
      'vllm/vllm-openai-cpu',
      'q9t5s3a7/vllm-release-repo',
      'q9t5s3a7/vllm-cpu-release-repo',
      'q9t5s3a7/vllm-arm64-cpu-release-repo',
      // Its versions match those of vLLM (vllm-project/vllm-ascend docs, community/versioning_policy.md).
      'ascend/vllm-ascend',
      // aws/deep-learning-containers: `0.15-gpu-py312` is vLLM 0.15; `server-cuda-v1` says nothing of it.
      'deep-learning-containers/vllm',
    ],
    word: 'vllm',
  },
  sglang: { own: ['lmsysorg/sglang', 'deep-learning-containers/sglang'], word: 'sglang' },
  tgi: { own: ['huggingface/text-generation-inference'], word: 'tgi' },
  lmdeploy: { own: ['openmmlab/lmdeploy'], word: 'lmdeploy' },
  ollama: { own: ['ollama/ollama'], word: 'ollama' },
  // `server-b11434`, `server-cuda-b11434` (ggml-org/llama.cpp .github/workflows/docker.yml).
  'llama.cpp': {
    own: ['ggml-org/llama.cpp', 'ggerganov/llama.cpp'],
    word: 'llama[._]?cpp',
    ownTag: /^(?:\w+-){0,3}b(\d{3,6})$/,
  },
  'tensorrt-llm': { own: ['nvidia/tensorrt-llm/release'], word: '(?:tensorrt|trt)-?llm' },
};

/**
 * Names that stand for the engine's own image with no owner before them, as in `registry.example/sglang:v0.5.3`; under
 * another owner they are what that one built.
 */
const ALONE = /^(?:vllm-openai(?:-rocm|-cpu)?|sglang|text-generation-inference|lmdeploy|ollama)$/;
/** Parts of a name that stand for a mirror: `dockerhub`, `docker-remote`, `proxy-cache`; not `lmcache`. */
const MIRROR = /(?:^|[-_.])(?:mirrors?|proxy|cache|docker|docker-?hub|upstream|library)(?:$|[-_.])/i;
const HOST = /[.:]|^localhost$/;

const RELEASE = String.raw`\d{1,3}\.\d{1,3}(?:\.\d{1,3}){0,2}(?:\.?(?:post|rc)\d{1,3})?`;
const OWN_TAG = new RegExp(`^v?(${RELEASE})(?=$|-)`);

/**
 * The version of an engine in the name of its image: the tag where the repository is the engine's own, whatever registry or
 * mirror stands before it, or what a tag says of the engine by name (`rocm6.4.1_vllm_0.9.1_20250715`). A number in any other
 * tag is that of a product around the engine.
 */
export function versionOfImage(engine: string, image: string | undefined): string | undefined {
  const images = IMAGES[engine];
  const named = image === undefined ? undefined : readName(image);
  if (images === undefined || named === undefined) return undefined;
  const told =
    wordIn(images.word).exec(named.tag) ??
    (isOwn(images, named.parts) ? (images.ownTag ?? OWN_TAG).exec(named.tag) : null);
  const version = told?.[1];
  return readVersion(engine, version) === undefined ? undefined : version;
}

// What is a tag of several words says whose each number is; one that begins with the name may be that of a component.
function wordIn(word: string): RegExp {
  return new RegExp(`[-_.]${word}[-_]?v?(${RELEASE})(?=$|[-_])`, 'i');
}

type Name = { readonly parts: readonly string[]; readonly tag: string };

// `registry:5000/owner/name:tag@sha256:…`: a port is no tag, and a digest may follow one.
function readName(image: string): Name | undefined {
  const path = image.trim().replace(/@.*$/, '').split('/');
  const last = /^([^:]+):([^:]+)$/.exec(path.at(-1) ?? '');
  return last === null ? undefined : { parts: [...path.slice(0, -1), last[1] ?? ''], tag: last[2] ?? '' };
}

function isOwn({ own }: Images, parts: readonly string[]): boolean {
  const name = parts.join('/');
  if (own.some((repository) => name === repository || name.endsWith(`/${repository}`))) return true;
  const [last = '', ...before] = parts.toReversed();
  const isKnown = ALONE.test(last) && own.some((repository) => repository.endsWith(`/${last}`));
  const owners = before.filter((part, i) => !(i === before.length - 1 && HOST.test(part)));
  return isKnown && owners.every((part) => MIRROR.test(part));
}
