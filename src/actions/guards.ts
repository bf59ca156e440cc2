import type { Bound } from '../model/plan.ts';
import { parseQuantity } from '../model/quantity.ts';
import type { Edit, Remedy } from '../model/verdict.ts';

/** Why an edit may not be made. `kind` is for decisions, `says` for people. */
export type GuardProblem = {
  readonly kind: 'outside-bounds' | 'protected' | 'wrong-direction';
  readonly flag: string;
  readonly says: string;
};

/**
 * Edits that leave the profile's bounds. Where a profile has bounds, only flags that it names may be set; a flag with a
 * bound can not be removed, since the engine's own default may lie outside.
 */
export function checkBounds(edits: readonly Edit[], bounds: readonly Bound[]): readonly GuardProblem[] {
  if (bounds.length === 0) return [];
  const byFlag = new Map(bounds.map((bound) => [toKey(bound.flag), bound]));
  return edits.flatMap((edit) => {
    const bound = byFlag.get(toKey(edit.flag));
    const says = bound === undefined ? 'the profile names no such value' : outsideOf(edit.to, bound);
    return says === undefined
      ? []
      : [{ kind: 'outside-bounds' as const, flag: edit.flag, says: `${edit.flag}: ${says}` }];
  });
}

function outsideOf(to: string | null, { min, max }: Bound): string | undefined {
  if (min === null && max === null) return undefined;
  if (to === null) return `has to stay between ${range(min, max)}, so it can not be left to the engine`;
  const value = readNumber(to);
  if (value === undefined) return `${to} is no number`;
  const isInside = (min === null || value >= min) && (max === null || value <= max);
  return isInside ? undefined : `${to} is not between ${range(min, max)}`;
}

function range(min: number | null, max: number | null): string {
  return `${min ?? 'any'} and ${max ?? 'any'}`;
}

/** Edits against the direction that the signature demands: a remedy that raises is never turned into one that lowers. */
export function checkDirection(edits: readonly Edit[], direction: Remedy['direction']): readonly GuardProblem[] {
  // The direction is that of the main knob, which stands first.
  const [main] = edits;
  if (main === undefined || (direction !== 'raise' && direction !== 'lower')) return [];
  const from = readNumber(main.from ?? '');
  const to = readNumber(main.to ?? '');
  // An engine's own default is not known here, so nothing can be said about the way to or from it.
  if (from === undefined || to === undefined || from === to) return [];
  const goes = to > from ? 'raise' : 'lower';
  if (goes === direction) return [];
  const says = `${main.flag}: the finding needs it ${direction === 'raise' ? 'raised' : 'lowered'}, and ${main.from} to ${main.to} does the opposite`;
  return [{ kind: 'wrong-direction', flag: main.flag, says }];
}

// What the engine serves, to whom, from where and on how many cards: no stop-bleed changes that.
const PROTECTED = new Set(
  [
    '--model',
    '--model-path',
    '--model-id',
    '--model-name',
    '--hf-model',
    '--served-model-name',
    '--revision',
    '--tokenizer',
    '--tokenizer-path',
    '--api-key',
    '--api-keys',
    '--hf-token',
    '--host',
    '--hostname',
    '--port',
    '--trust-remote-code',
    '--chat-template',
    '--tool-call-parser',
    '--ssl-keyfile',
    '--ssl-certfile',
    '--allowed-origins',
    '--root-path',
    '--download-dir',
    '--config',
    '--kaito-config-file',
  ].map(toKey),
);

// The allocator, and where engines take their limits from the environment; DESIGN of the acting identity's admission policy.
const VARIABLES =
  /^(?:PYTORCH_(?:CUDA_|HIP_|NPU_)?ALLOC_CONF|VLLM_ADDITIONAL_ARGS|NIM_[A-Z0-9_]+|OLLAMA_(?:CONTEXT_LENGTH|NUM_PARALLEL|MAX_LOADED_MODELS|MAX_QUEUE|KV_CACHE_TYPE|FLASH_ATTENTION|GPU_OVERHEAD)|MAX_(?:CONCURRENT_REQUESTS|INPUT_LENGTH|INPUT_TOKENS|TOTAL_TOKENS|BATCH_PREFILL_TOKENS|BATCH_TOTAL_TOKENS|BATCH_SIZE|WAITING_TOKENS)|CUDA_MEMORY_FRACTION|CUDA_GRAPHS|PREFIX_CACHING)$/;
const SECRET = /(?:TOKEN|KEY|SECRET|PASSWORD|PASSWD|CREDENTIAL)(?:S|_|$)/;

/** Edits of what no action may change: what is served, where it listens, secrets, and variables on no list. */
export function checkProtected(edits: readonly Edit[]): readonly GuardProblem[] {
  return edits.flatMap(({ flag }) => {
    const why = isProtectedVariable(flag) ?? (PROTECTED.has(toKey(flag)) ? 'is not changed by a button' : undefined);
    return why === undefined ? [] : [{ kind: 'protected' as const, flag, says: `${flag} ${why}` }];
  });
}

function isProtectedVariable(flag: string): string | undefined {
  if (flag.startsWith('-') || flag.includes('.')) return undefined;
  if (VARIABLES.test(flag) && !SECRET.test(flag.replace(/TOKENS(?=_|$)/g, ''))) return undefined;
  return 'is no variable that a button may set';
}

// To engines `_` and `-` are the same in a flag's name, and `--no-x` is about `--x`.
function toKey(flag: string): string {
  return flag.startsWith('-')
    ? flag
        .replaceAll('_', '-')
        .replace(/^--no-/, '--')
        .toLowerCase()
    : flag;
}

// `8k` is 8000 and `8K` 8192 to vLLM; quantities of Kubernetes have `Gi`.
function readNumber(text: string): number | undefined {
  const thousand = /^(\d+(?:\.\d+)?)K$/.exec(text.trim());
  return thousand === null ? parseQuantity(text) : Number(thousand[1]) * 1024;
}
