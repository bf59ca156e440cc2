import type { Citation } from '../../model/citation.ts';
import type { Cited } from '../../model/engine-reader.ts';
import type { LogReading } from '../../model/log-reading.ts';
import { compareVersions } from '../../model/metric-table.ts';
import { citeHit } from './figures.ts';

/** What runs an engine for somebody: it sets arguments, restarts, scales, and undoes what others change. */
export const WRAPPERS = [
  'kserve',
  'kaito',
  'ray-serve',
  'leader-worker-set',
  'production-stack',
  'llm-d',
  'nim',
] as const;
export type Wrapper = (typeof WRAPPERS)[number];

export type Label = { readonly key: string; readonly value: string; readonly from: Citation };

type WrapperClues = {
  readonly image: Cited<string> | undefined;
  readonly words: readonly Cited<string>[];
  readonly labels: readonly Label[];
  readonly logs: readonly LogReading[];
};

type Sign = {
  readonly wrapper: Wrapper;
  readonly image?: RegExp;
  readonly word?: RegExp;
  /** Matches `key=value`. */
  readonly label?: RegExp;
  readonly signatures?: RegExp;
  /** Where the arguments of the engine have to be changed, in a sentence. */
  readonly argumentsAt: string;
};

const SIGNS: readonly Sign[] = [
  {
    // kserve/kserve config/runtimes/kserve-huggingfaceserver.yaml, config/configmap/inferenceservice.yaml (v0.20.0).
    wrapper: 'kserve',
    image: /(?:^|\/)(?:kserve\/|huggingfaceserver)/,
    word: /^huggingfaceserver$/,
    label: /^serving\.kserve\.io\//,
    argumentsAt:
      'Arguments are in the InferenceService (spec.predictor.model.args) or in the ServingRuntime that it names.',
  },
  {
    // kaito-project/kaito presets/workspace/inference/vllm/inference_api.py, pkg/workspace/manifests/manifests.go (v0.12.0).
    wrapper: 'kaito',
    image: /(?:^|[/.-])kaito(?:[/-]|$)/,
    word: /(?:^|[/ ])inference_api\.py(?:$|\s)|^--kaito-/,
    label: /^kaito\.sh\//,
    signatures: /^kaito\./,
    argumentsAt:
      'Arguments are in the ConfigMap that spec.inference.config of the Workspace names (inference_config.yaml, section vllm), read when a pod starts.',
  },
  {
    // ray-project/ray python/ray/llm/_internal/serve; ray-project/kuberay ray-operator.
    wrapper: 'ray-serve',
    image: /(?:^|\/)ray(?:-ml|-llm)?:/,
    word: /(?:^|\s)(?:ray start|serve run|serve deploy)(?:$|\s)|^ray\.serve\./,
    label: /^ray\.io\//,
    argumentsAt:
      'Arguments are in the RayService (serveConfigV2, engine_kwargs of its application) or in the program that it runs.',
  },
  {
    // kubernetes-sigs/lws api/leaderworkerset/v1.
    wrapper: 'leader-worker-set',
    label: /^leaderworkerset\.sigs\.k8s\.io\//,
    argumentsAt:
      'Arguments are in spec.leaderWorkerTemplate of the LeaderWorkerSet, separately for leader and workers.',
  },
  {
    // vllm-project/production-stack: its chart puts the name of the release on every pod of an engine
    // (helm/templates/deployment-vllm-multi.yaml).
    wrapper: 'production-stack',
    label: /^helm-release-name=/,
    argumentsAt: 'Arguments are in the values of the chart (servingEngineSpec.modelSpec, vllmConfig).',
  },
  {
    // llm-d-incubation/llm-d-modelservice charts/llm-d-modelservice/values.yaml.
    wrapper: 'llm-d',
    image: /(?:^|\/)llm-d(?:\/|[:@-])/,
    label: /^llm-d\.ai\//,
    argumentsAt:
      'Arguments are in the values of the chart (containers under decode and under prefill), separately for both.',
  },
  {
    // NVIDIA/k8s-nim-operator api/apps/v1alpha1, NIMService.
    wrapper: 'nim',
    image: /(?:^|\/)nim\//,
    label: /=k8s-nim-operator$/,
    signatures: /^nim\./,
    argumentsAt:
      'Arguments are variables NIM_* of the pod (spec.env of the NIMService), from NIM 2 also any engine flag in NIM_PASSTHROUGH_ARGS. The profile of the image sets the rest.',
  },
];

/** Everything that wraps the engine, each with its first proof, in the order of the list. */
export function readWrappers(clues: WrapperClues): readonly Cited<Wrapper>[] {
  return SIGNS.flatMap((sign) => {
    const from = proofOf(sign, clues);
    return from === undefined ? [] : [{ value: sign.wrapper, from }];
  });
}

export function argumentsAt(wrapper: Wrapper): string {
  return SIGNS.find((sign) => sign.wrapper === wrapper)?.argumentsAt ?? '';
}

function proofOf({ image, word, label, signatures }: Sign, clues: WrapperClues): Citation | undefined {
  const byLabel = label && clues.labels.find(({ key, value }) => label.test(`${key}=${value}`));
  if (byLabel !== undefined) return byLabel.from;
  if (clues.image !== undefined && image?.test(clues.image.value) === true) return clues.image.from;
  const byWord = word && clues.words.find(({ value }) => word.test(value));
  if (byWord !== undefined) return byWord.from;
  const pair = word && pairOf(clues.words, word);
  if (pair !== undefined) return pair;
  return signatures && lineOf(clues.logs, signatures);
}

function lineOf(logs: readonly LogReading[], signatures: RegExp): Citation | undefined {
  const placed = logs.flatMap((log) => log.hits.map((hit) => ({ hit, file: log.file })));
  const found = placed.find(({ hit }) => signatures.test(hit.id));
  return found && citeHit(found);
}

// `ray` and `start` are words of their own where the command is a list.
function pairOf(words: readonly Cited<string>[], word: RegExp): Citation | undefined {
  const at = words.findIndex(({ value }, i) => i > 0 && word.test(`${words[i - 1]?.value} ${value}`));
  return words[at]?.from;
}

// kaito-project/kaito presets/workspace/inference/vllm dependencies/requirements.txt (tags v0.4.0 to v0.12.0): release, and the
// vLLM that it brings.
const RELEASES: readonly (readonly [release: string, vllm: string])[] = [
  ['0.12', '0.25.1'],
  ['0.11', '0.22.1'],
  ['0.10', '0.17.1'],
  ['0.9', '0.14.1'],
  ['0.8', '0.12.0'],
  ['0.7', '0.10.1'],
  ['0.6.2', '0.9.0'],
  ['0.4.6', '0.8.5'],
  ['0.4.5', '0.8.2'],
  ['0.4.4 or older', '0.6.3'],
];

/** The release of KAITO by the vLLM that runs in it; undefined where that is not one that it brought. */
export function kaitoRelease(vllm: string | undefined): string | undefined {
  return RELEASES.find(([, own]) => vllm !== undefined && compareVersions(vllm, own, 3) === 0)?.[0];
}
