import { stateOfFeature } from '../model/feature-table.ts';
import { isWithin, readVersion } from '../model/flag-table.ts';
import { modelFamily } from '../model/model-table.ts';
import { type Figures, type Settings, settingOf } from './figures.ts';

/** Whether an engine starts with blocks of a size; `unknown` where its kernels are not known. */
export type BlockAnswer =
  | { readonly kind: 'taken' }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'refused'; readonly why: string };

type Asked = {
  readonly engine: string;
  readonly version: string | undefined;
  readonly figures: Figures;
  readonly settings: Settings;
};

const FLAG = '--block-size';
// What the argument parser took (vllm/config/cache.py, 0.8.5 to 0.17); later it takes any.
const CHOICES = [1, 8, 16, 32, 64, 128, 256];
const WITH_CHOICES = { since: '0.8.5', until: '0.17' };
// FlashAttention and Triton (vllm/v1/attention/backends); flex attention of the newest too.
const MULTIPLE = 16;
const OF_SIXTEEN = /flash_?attn|flashinfer|triton|flex/i;
// Latent attention and layers of a state have the block put right for them, whatever was asked.
const OWN_BLOCKS =
  /deepseek-(?:v[23]|r1)|kimi|glm-5|mamba|jamba|bamba|zamba|qwen3-next|nemotron-h|falcon-h|-h-|minimax|lfm2|mistral-large-3/i;

/** Whether vLLM starts with the blocks that are asked for; `taken` where it has them already, or says nothing of them. */
export function judgeBlocks(asked: Asked, before: Settings): BlockAnswer {
  const { engine, version, settings } = asked;
  const tokens = settingOf(engine, settings, FLAG)?.number;
  if (engine !== 'vllm' || tokens === undefined || tokens === settingOf(engine, before, FLAG)?.number) return TAKEN;
  const release = readVersion(engine, version);
  if (release !== undefined && isWithin(release, WITH_CHOICES) && !CHOICES.includes(tokens)) {
    return { kind: 'refused', why: `${FLAG} takes ${CHOICES.join(', ')}, not ${tokens}` };
  }
  if (tokens % MULTIPLE === 0) return TAKEN;
  return needsMultiple(asked, release) ? { kind: 'refused', why: NO_MULTIPLE(tokens) } : { kind: 'unknown' };
}

const TAKEN: BlockAnswer = { kind: 'taken' };
const NO_MULTIPLE = (tokens: number) =>
  `its attention kernels need a multiple of ${MULTIPLE} tokens per block, and ${tokens} is not`;

// V0 falls back to a kernel that takes 8 (vllm/attention/selector.py).
function needsMultiple({ engine, figures, settings }: Asked, release: string | undefined): boolean {
  const isV1 =
    figures.generation === 'V1' || (release !== undefined && stateOfFeature('vllm.v1', release) === 'always');
  const backend =
    settingOf(engine, settings, '--attention-backend') ?? settingOf(engine, settings, 'VLLM_ATTENTION_BACKEND');
  const isOther = backend?.text != null && (!OF_SIXTEEN.test(backend.text) || /mla/i.test(backend.text));
  return isV1 && !isOther && !hasOwnBlocks(figures.model);
}

function hasOwnBlocks(model: string | undefined): boolean {
  if (model === undefined) return false;
  const shape = modelFamily(model)?.shape ?? [];
  return OWN_BLOCKS.test(model) || shape.some(({ kind }) => kind === 'latent' || kind === 'state');
}
