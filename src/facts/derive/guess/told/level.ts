import { parseSize } from '../../../../model/quantity.ts';
import type { Cause } from '../../../../model/taxonomy.ts';
import { anyOf } from '../../../text/patterns.ts';
import type { Account, Told } from './account.ts';

export type Memory = 'gpu' | 'host';
/** What people noted of the level of a memory near the end. */
export type Level = {
  readonly memory: Memory;
  readonly full: boolean;
  readonly from: Told;
  /** Where the figures tell what filled it. */
  readonly cause?: Cause;
};

const DEVICE =
  '(?:\\b(?:GPU|VRAM|HBM|cards?|CUDA|device|nvidia-smi|npu-smi|nvtop|FB|frame ?buffer|DCGM_FI\\w+|[34]0[5-9]0|A10G?|A100|A800|H100|H20|L4|L40S?|T4|V100)\\b|显存|显卡|单卡)';
const HOST =
  '(?:\\b(?:RAM|RSS|RES|host|machine|node|box|VM|container_memory\\w*|working[ _]set\\w*|(?<!VRAM )(?<!VRAM is )free|available|htop|MaxRSS|cgroup|(?:pod|host|system|process|node|main|CPU) mem(?:ory)?|API process|process itself|swap|memory of the pod|kubectl top)\\b|内存)';
const SIZE = String.raw`(\d{1,7}(?:\.\d{1,3})?)\s?([KMGT]i?B?|Gi)?`;
const PAIR = new RegExp(String.raw`(?<![\d.:/-])${SIZE}\s?(?:/|of|out of|,)\s?(?:the )?${SIZE}(?![\d:/-]|\.\d)`, 'gi');
const FULL = 0.93;
const LOW = 0.7;
// What a tool rounds.
const MOST = 1.03;
const LEAST_BARE = 8;

/** What the notes say of both memories, in their order. */
export function readLevels({ prose, rows }: Account): readonly Level[] {
  return [...prose, ...rows].flatMap((line) => [
    ...levelsOfPairs(line),
    ...levelsInWords(line),
    ...levelsOfCounters(line),
  ]);
}

function levelsOfPairs(line: Told): readonly Level[] {
  return [...line.text.matchAll(PAIR)].flatMap((match) => levelOfPair(line, match) ?? []);
}

const ROW_OF_SMI = /^\|.{0,60}MiB ?\/|^\s*(?:\d, )?\d+ ?MiB ?[/,] ?\d+ ?MiB/;

function levelOfPair(line: Told, match: RegExpExecArray): Level | undefined {
  const [pair = '', used = '', usedUnit, total = '', totalUnit] = match;
  const isSmi = line.from.file === 'nvidia-smi.txt' || ROW_OF_SMI.test(line.text);
  const memory = isSmi ? 'gpu' : memoryAt(line.text, match.index, pair.length);
  const behind = line.text.slice(match.index + pair.length);
  if (memory === undefined || !areSizes(match) || COUNTED.test(behind)) return undefined;
  const unit = totalUnit ?? usedUnit ?? 'G';
  const share = bytes(used, usedUnit ?? unit) / bytes(total, unit);
  if (share >= FULL && share <= MOST) return { memory, full: true, from: line };
  return share < LOW ? { memory, full: false, from: line } : undefined;
}

// What is counted is no size.
const COUNTED =
  /^\s*(?:layers?|shards?|files?|steps?|gpus?|tokens?|requests?|prompts?|tests?|ranks?|pods?|nodes?|slots?|blocks?)\b|^[^.;\n]{0,8}\brecogni[sz]ed\b/i;

// `6/8` are shards and `5, 7` a list: a size has a unit or a fraction, or is large.
function areSizes([pair = '', , usedUnit, total = '', totalUnit]: RegExpExecArray): boolean {
  if (pair.includes(',')) return usedUnit !== undefined && totalUnit !== undefined;
  return (usedUnit ?? totalUnit) !== undefined || pair.includes('.') || Number(total) >= LEAST_BARE;
}

function bytes(digits: string, unit: string): number {
  return parseSize(`${digits} ${unit.replace(/^([KMGT])$/i, '$1B').replace(/^Gi$/i, 'GiB')}`) ?? Number.NaN;
}

// The nearest word before the figures, else the first behind them, of the same clause.
function memoryAt(text: string, at: number, length: number): Memory | undefined {
  const before =
    text
      .slice(0, at)
      .split(/[;；。]/)
      .at(-1) ?? '';
  const behind = text.slice(at + length).split(/[;；。,，]/)[0] ?? '';
  const [device, host] = [lastOf(before, DEVICE), lastOf(before, HOST)];
  if (device !== host) return device > host ? 'gpu' : 'host';
  const [next, other] = [behind.search(new RegExp(DEVICE, 'i')), behind.search(new RegExp(HOST, 'i'))];
  if (next < 0 && other < 0) return undefined;
  return other < 0 || (next >= 0 && next < other) ? 'gpu' : 'host';
}

function lastOf(text: string, pattern: string): number {
  return [...text.matchAll(new RegExp(pattern, 'gi'))].at(-1)?.index ?? -1;
}

const AT_ONCE = String.raw`[^.;,，；。\n]{0,24}?`;
const WORDS: readonly { memory: Memory; full: boolean; pattern: RegExp }[] = [
  {
    memory: 'gpu',
    full: true,
    pattern:
      /\b(?:card|GPU \d(?! util)|VRAM|device|GPU mem\w*)\b[^.;,\n]{0,24}(?:\bis full\b|\bfull\b|\b(?:9[6-9]|100) ?%|touches the ceiling|\bfills up to\b)|(?:显存|显卡)[^，。；\n]{0,8}(?:占满|打满|刚好满|爆|用完|耗尽|满了)/i,
  },
  {
    memory: 'host',
    full: true,
    pattern: anyOf(
      'i',
      /\b(?:RAM|htop|swap|host memory|memory of the (?:host|node|pod))\b[^.;,\n]{0,16}\b(?:full|used up|exhausted|gone|(?:9[6-9]|100) ?%)/,
      /\bhost's \d{1,4} ?GB are gone\b|\d ?[GT]i?B of RAM (?:is|are|was|were) (?:in use|used|taken|gone)\b/,
      /\bswap (?:is |was )?in use\b/,
      /\boomd\b[^.;,\n]{0,12}\b(?:busy|kill(?:s|ed)|act(?:s|ed))\b(?! (?:nothing|nobody|no one))/,
      /\b(?:ate|eats) (?:up )?the RAM\b|\bRAM (?:is |was |gets? |got |runs? |ran )?(?:very )?low\b/,
      /\b(?:holds?|held|keeps?|kept|takes?|took|uses?|used|occupies|eats?|ate) (?:up )?(?:almost |nearly |practically )?all (?:of )?(?:the |my |its |our )?(?:available |system |host |node(?:'s)? )?RAM\b/,
      /内存[^，。；\n]{0,12}(?:打满|占满|爆|耗尽|用完|不足)|\bto the limit\b[^.;\n]{0,40}\bpod\b/,
      /\bpod memory\b[^.;\n]{0,40}\bto the limit\b|\bMemoryPressure\s*=?\s*True/,
      /\b(?:RSS|RES|working_set\w*|container_memory\w*|memory of the pod|pod memory|process itself|RAM)\b[^.;\n]{0,60}\b(?:climbs?|jumps?|rises?|goes|shoots)\b[^.;\n]{0,32}\bto (?:the limit|\d{2,4} ?G)/,
      /\b(?:RSS|RES)\b[^.;\n]{0,12}\b(?:[3-9]\d|\d{3,4})(?:\.\d)? ?G/,
      /\b(?:[3-9]\d|\d{3,4}) ?GB? (?:of )?(?:RSS|RES)\b/,
      /内存[^，。；\n]{0,8}从? ?\d+ ?G[^，。；\n]{0,4}(?:涨|升|飙)[^，。；\n]{0,4}\d{2,4} ?G|\busing all available\b/,
      /\bfull bf16 in RAM\b|\b(?:is|are) not enough\b[^.;\n]{0,40}\bDDR|\bDDR\d is not enough/,
    ),
  },
  {
    memory: 'gpu',
    full: false,
    pattern: new RegExp(
      String.raw`\b(?:VRAM|GPU(?: mem\w*| bar)?|cards?)\b${AT_ONCE}(?:\bflat\b(?! at 9)|\bnever moved\b|\b(?:does|did) not move\b|\bat 0\b(?!\.)|\bat (?:4|500) Mi?B\b|\bstays at\b|\bidle\b)|\bVRAM never moved\b|显存${AT_ONCE}(?:很平|没有变化|没变|不变|正常)`,
      'i',
    ),
  },
  {
    memory: 'host',
    full: false,
    pattern: new RegExp(
      String.raw`\b(?:RAM|host memory|pod memory|container_memory)\b${AT_ONCE}(?:\bplenty\b|\bfine\b|\bnot full\b|\b[1-6]?\d ?%)|内存${AT_ONCE}(?:只用|充足|够用|还剩|没满)|\bplenty of RAM\b|\b\d{3,4} (?:GB )?free\b`,
      'i',
    ),
  },
];

function levelsInWords(line: Told): readonly Level[] {
  return WORDS.flatMap(({ memory, full, pattern }) => (pattern.test(line.text) ? [{ memory, full, from: line }] : []));
}

// DCGM counts in MiB; below this nothing can be asked for (nvidia-smi shows a card that is full so).
const FB_FREE = /\bDCGM_FI_DEV_FB_FREE\b[^\n]*?[:\s](\d{1,6})(?:\s*\(|\s*$)/;
const NO_ROOM_MIB = 256;
const FROM_TO =
  /\b(?:avail\w*|free)\b[^.;\n]{0,24}?(\d{1,4}(?:\.\d)?) ?(G|GB|GiB)\s?(?:->|→|to|down to)\s?(\d{1,4}(?:\.\d)?) ?(M|MB|MiB|G|GB|GiB)\b/i;

function levelsOfCounters(line: Told): readonly Level[] {
  const free = FB_FREE.exec(line.text)?.[1];
  if (free !== undefined && Number(free) <= NO_ROOM_MIB && !/\bidle\b/i.test(line.text))
    return [{ memory: 'gpu', full: true, from: line }];
  const [, first = '', unit = 'G', last = '', lastUnit = 'G'] = FROM_TO.exec(line.text) ?? [];
  const isFull = last !== '' && bytes(last, lastUnit) < bytes(first, unit) * (1 - FULL);
  return isFull ? [{ memory: 'host', full: true, from: line }] : [];
}
