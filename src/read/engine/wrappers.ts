import type { Citation } from '../../model/citation.ts';
import type { Cited } from '../../model/engine-reader.ts';
import type { LogReading } from '../../model/log-reading.ts';
import { citeHit } from './placed-hit.ts';

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

export type WrapperClues = {
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
  readonly phrases?: RegExp;
};

const SIGNS: readonly Sign[] = [
  {
    wrapper: 'kserve',
    image: /(?:^|\/)(?:kserve\/|huggingfaceserver)/,
    word: /^huggingfaceserver$/,
    label: /^serving\.kserve\.io\//,
  },
  {
    wrapper: 'kaito',
    image: /(?:^|[/.-])kaito(?:[/-]|$)/,
    word: /(?:^|[/ ])inference_api\.py(?:$|\s)|^--kaito-/,
    label: /^kaito\.sh\//,
    phrases: /^kaito\./,
  },
  {
    wrapper: 'ray-serve',
    image: /(?:^|\/)ray(?:-ml|-llm)?:/,
    word: /(?:^|\s)(?:ray start|serve run|serve deploy)(?:$|\s)|^ray\.serve\./,
    label: /^ray\.io\//,
  },
  { wrapper: 'leader-worker-set', label: /^leaderworkerset\.sigs\.k8s\.io\// },
  // Its chart puts the name of the release on every pod of an engine (helm/templates/deployment-vllm-multi.yaml).
  { wrapper: 'production-stack', label: /^helm-release-name=/ },
  { wrapper: 'llm-d', image: /(?:^|\/)llm-d(?:\/|[:@-])/, label: /^llm-d\.ai\// },
  {
    wrapper: 'nim',
    image: /(?:^|\/)nim\//,
    label: /=k8s-nim-operator$/,
    phrases: /^nim\./,
  },
];

/** Everything that wraps the engine, each with its first proof, in the order of the list. */
export function readWrappers(clues: WrapperClues): readonly Cited<Wrapper>[] {
  return SIGNS.flatMap((sign) => {
    const from = proofOf(sign, clues);
    return from === undefined ? [] : [{ value: sign.wrapper, from }];
  });
}

function proofOf({ image, word, label, phrases }: Sign, clues: WrapperClues): Citation | undefined {
  const byLabel = label && clues.labels.find(({ key, value }) => label.test(`${key}=${value}`));
  if (byLabel !== undefined) return byLabel.from;
  if (clues.image !== undefined && image?.test(clues.image.value) === true) return clues.image.from;
  const byWord = word && clues.words.find(({ value }) => word.test(value));
  if (byWord !== undefined) return byWord.from;
  const pair = word && pairOf(clues.words, word);
  if (pair !== undefined) return pair;
  return phrases && lineOf(clues.logs, phrases);
}

function lineOf(logs: readonly LogReading[], phrases: RegExp): Citation | undefined {
  const placed = logs.flatMap((log) => log.hits.map((hit) => ({ hit, file: log.file })));
  const found = placed.find(({ hit }) => phrases.test(hit.id));
  return found && citeHit(found);
}

// `ray` and `start` are words of their own where the command is a list.
function pairOf(words: readonly Cited<string>[], word: RegExp): Citation | undefined {
  const at = words.findIndex(({ value }, i) => i > 0 && word.test(`${words[i - 1]?.value} ${value}`));
  return words[at]?.from;
}
