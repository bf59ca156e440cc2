import type { Budget } from '../model/budget.ts';
import { type Block, bold } from '../model/message.ts';
import { formatBytes } from '../model/quantity.ts';
import { bytesText, count, gib, known, parts } from './words/budget-words.ts';
import { paragraph } from './words/sentence.ts';

/** The KV cache: its size with the interval, and what a token takes of it. */
export function kvBlocks({ kv }: Budget): Block[] {
  const each = kv.blockTokens === 1 ? '1 token' : `${count(kv.blockTokens)} tokens`;
  return parts('KV cache: ', [
    known(kv.bytes, (bytes) => `${gib(bytes)}${sourceOf(kv)}`),
    known(kv.bytesPerToken, (bytes) => `${bytesText(bytes)} per token`),
    kv.fixedBytes > 0 ? `${gib(kv.fixedBytes)} more per sequence` : undefined,
    known(kv.blocks, (blocks) => `${count(blocks)} blocks of ${each}`),
    swapWords(kv),
  ]);
}

function sourceOf({ basis, interval }: Budget['kv']): string {
  if (basis === 'printed') return '';
  if (interval === undefined) return ' (rule of thumb, no startup logs to compare with)';
  const { low, high, records, middle } = interval;
  const whose = middle === undefined ? 'similar startups' : `startup${records === 1 ? '' : 's'} in this cluster`;
  return ` (${gib(low, '')} to ${gib(high)} in 90% of ${records} ${whose})`;
}

/** What to set, with what the engine can find itself. */
export function safeBlocks({ safe, now, kv }: Budget): Block[] {
  const { length, sequences, fraction, automatic } = safe;
  const isOpen = now.start.kind === 'refuses' || now.start.doubt !== undefined;
  const values = [
    isOpen && length !== undefined && length > 0 ? `a length of ${count(length)}` : undefined,
    isOpen && fraction !== undefined ? `a memory fraction of ${fraction}` : undefined,
    sequences === undefined
      ? undefined
      : `${count(sequences)} sequence${sequences === 1 ? '' : 's'} of the full length at once`,
  ].filter((one) => one !== undefined);
  const own = isOpen && automatic.length > 0 ? [`The engine can choose: ${automatic.join(' or ')}`] : [];
  if (values.length === 0) return [];
  const sure = kv.basis === 'printed' ? 'Fits: ' : 'Fits with 90% confidence: ';
  return [paragraph(bold(sure), `${[values.join(', or '), ...own].join('. ')}.`)];
}

function swapWords({ swap }: Budget['kv']): string | undefined {
  if (swap === undefined || swap.bytes === 0) return undefined;
  const blocks = known(swap.blocks, (number) => `, ${count(number)} blocks`) ?? '';
  return `swap space: ${formatBytes(swap.bytes)} of pinned RAM per GPU${blocks}`;
}
