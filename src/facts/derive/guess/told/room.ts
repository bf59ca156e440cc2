import { parseSize } from '../../../../model/quantity.ts';
import { anyOf } from '../../../text/patterns.ts';
import type { Account, Told } from './account.ts';
import type { Level } from './level.ts';

const GIB = 1024 ** 3;
const AMOUNT = String.raw`(\d{1,4}(?:\.\d{1,2})?) ?([GT])i?B?\b`;
const PLACE = '(?:machine|host|box|VM|node|server|worker|workstation|PC|mac|colab|机器|服务器|主机)';
// How much RAM there is, or the process may take: `96 GB RAM`, `the machine has 380`, `a VM of 32`, `.wslconfig memory=8GB`.
const RAM: readonly RegExp[] = [
  new RegExp(String.raw`${AMOUNT}(?: of)?(?: \w{1,6})? (?:RAM|DDR\d|host memory|system memory|${PLACE}\b)`, 'i'),
  new RegExp(String.raw`\b(?:RAM|内存)(?: of)?[ :]{0,2}${AMOUNT}`, 'i'),
  new RegExp(String.raw`\b${PLACE}\b(?: has| with| of|:) (\d{2,4})(?: ?([GT])i?B?)?(?![\d%])`, 'i'),
  /(?:机器|服务器|主机|内存)(?:内存|有|是)? ?(\d{2,4}) ?([GT])/i,
  /\bMemTotal: ?(\d{1,4}) ?([GT])/,
  /\bmemory ?[=:] ?(\d{1,4}) ?([GT])i?B?\b|\b(?:mem_limit|limit(?: of)?|-m|machine default)[ :=]{1,3}(\d{1,4}) ?([GT])i?/i,
];
const NEAR = 0.85;

type Amount = { readonly bytes: number; readonly from: Told };

/** The smallest room of RAM that is named: the machine's, or a bound. */
function roomOf(lines: readonly Told[]): Amount | undefined {
  const named = lines.flatMap((from) =>
    RAM.flatMap((pattern) => {
      const groups =
        pattern
          .exec(from.text)
          ?.slice(1)
          .filter((group) => group !== undefined) ?? [];
      const [digits, unit = 'G'] = groups;
      return digits === undefined ? [] : [{ bytes: sizeOf(digits, unit), from }];
    }),
  );
  return named.toSorted((a, b) => a.bytes - b.bytes)[0];
}

function sizeOf(digits: string, unit: string): number {
  return parseSize(`${digits} ${unit.toUpperCase()}iB`) ?? Number.NaN;
}

// Sizes of cards are no RAM.
const TIMES =
  /\b(\d{1,2}) ?(?:x|×|\*) ?(\d{1,3}(?:\.\d{1,2})?)(?: ?G(?:i?B)?)?\b(?! ?(?:GB? )?(?:cards?|GPUs?|VRAM|[AHBLTV]\d{1,3}S?\b|requests?|prompts?|users?|tokens?))/i;
const EACH = /\b(?:each|all|every)\b[^.;\n]{0,40}?(?:about |to |~|takes )?~?(\d{1,3}(?:\.\d)?) ?G(?:i?B)?\b/i;
const COUNT = anyOf(
  'i',
  /\b(\d{1,2}|two|three|four|six|eight) (?:python )?(?:ranks|processes|workers|copies|replicas|instances|steps|gpus|shards of)\b/,
  /\b(?:tp|TP|tensor parallel|tensor-parallel-size)[ =-]{0,3}(\d{1,2})\b|-w ?(\d{1,2})\b/,
  /\b(\d)(?:th|rd|nd) start\b/,
);
const WORDS: Readonly<Record<string, number>> = { two: 2, three: 3, four: 4, six: 6, eight: 8 };
const FILE =
  /\b(?:file|model|checkpoint|weights|gguf|safetensors|repo)\b(?: file)?(?: is| of|,| takes)? ?(?:about )?(\d{1,4}(?:\.\d)?) ?G(?:i?B)?\b|\b(\d{1,4}(?:\.\d)?) ?G(?:i?B)? (?:model|file|checkpoint|gguf|repo|of weights)\b/i;

/** Whether what has to be in RAM at once is, by the sums that people note, as much as there is. */
export function readSum({ prose, rows, args }: Account): Level | undefined {
  const lines = [...prose, ...rows];
  const room = roomOf(lines);
  const need = lines.flatMap(({ text, from }) => {
    const [, times, size] = TIMES.exec(text) ?? [];
    const each = EACH.exec(text)?.[1];
    const file = FILE.exec(text);
    const found = times === undefined ? undefined : Number(times) * Number(size);
    const all = found ?? (each === undefined ? undefined : Number(each) * countIn(`${text}\n${args}`));
    const whole = all ?? Number(file?.[1] ?? file?.[2] ?? Number.NaN);
    return whole > 0 ? [{ bytes: whole * GIB, from: { text, from } }] : [];
  });
  const most = need.toSorted((a, b) => b.bytes - a.bytes)[0];
  const isFull = room !== undefined && most !== undefined && most.bytes >= room.bytes * NEAR;
  return isFull ? { memory: 'host', full: true, from: most.from } : undefined;
}

function countIn(text: string): number {
  const digits =
    COUNT.exec(text)
      ?.slice(1)
      .find((group) => group !== undefined) ?? '1';
  return WORDS[digits.toLowerCase()] ?? Number(digits);
}

// top: PID USER PR NI VIRT RES (SHR) S %CPU %MEM; the last rows that somebody kept.
const TOP = /^\s*\d{1,7} \S+ +\d+ +-?\d+ +[\d.]+[gt] +([\d.]+)g\b/;
const HOST_OF = new RegExp(String.raw`\(?${AMOUNT} (?:${PLACE}|RAM)`, 'i');

/** Whether the processes of the last rows of top fill the machine. */
export function readTop({ prose, rows }: Account): Level | undefined {
  const held = rows.flatMap((from) => {
    const size = TOP.exec(from.text)?.[1];
    return size === undefined ? [] : [{ size: Number(size) * GIB, from }];
  });
  const total = [...rows, ...prose].flatMap(({ text }) => HOST_OF.exec(text)?.slice(1, 3).join(' ') ?? [])[0];
  const sum = held.reduce((all, { size }) => all + size, 0);
  const first = held[0];
  return first !== undefined && total !== undefined && sum >= (parseSize(`${total}iB`) ?? Number.NaN) * NEAR
    ? { memory: 'host', full: true, from: first.from, ...(held.length > 2 ? { cause: 'host.startup.workers' } : {}) }
    : undefined;
}

// free, with and without units: total, used, free, shared, buff/cache, available. `376Gi used 0.7Gi avail`; atop.
const FREE =
  /^\s*Mem:\s+(\d+)\s+\d+\s+\d+\s+\d+\s+\d+\s+(\d+)\s*$|\bMem: (\d+)Gi total\b.*?([\d.]+)Gi avail|\bMEM tot ([\d.]+)G free ([\d.]+)M/;
const IN_MEBI = 1024;
const DRY = 0.03;

/** Whether a row of free or atop shows a machine that has nothing left. */
export function readFree({ prose, rows }: Account): Level | undefined {
  const from = [...rows, ...prose].find(({ text }) => {
    const [, total, left, all, avail, tot, mib] = FREE.exec(text) ?? [];
    const share = Number(left ?? avail ?? Number(mib) / IN_MEBI) / Number(total ?? all ?? tot);
    return share <= DRY;
  });
  return from && { memory: 'host', full: true, from };
}

const BYTES_HELD = /working_set_bytes\b[^\n]*?[:\s](\d[\d.e]{3,16})\s*$/;
const BYTES_BOUND = /memory_limit_bytes\b[^\n]*?[:\s](\d[\d.e]{3,16})\s*$/;

/** Whether a container stood at its limit, by the counters of cAdvisor. */
export function readAtLimit({ rows }: Account): Level | undefined {
  const bound = rows.flatMap(({ text }) => BYTES_BOUND.exec(text)?.[1] ?? [])[0];
  const from = rows.find(({ text }) => Number(BYTES_HELD.exec(text)?.[1] ?? Number.NaN) >= Number(bound) * NEAR);
  return from && { memory: 'host', full: true, from };
}
