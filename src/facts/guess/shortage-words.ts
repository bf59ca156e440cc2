import type { LineCitation } from '../../model/citation.ts';
import type { LogReading } from '../../model/log-reading.ts';
import { cleanLine } from '../../read/log/clean-line.ts';
import { findMasks } from '../../read/log/mask.ts';
import { known } from '../../read/reading.ts';
import { anyOf } from '../../read/text/patterns.ts';
import type { Group } from '../draft.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { goesRound, linesOfNoWeight } from '../evidence/ignored-lines.ts';
import { asksTheImpossible } from '../evidence/impossible-size.ts';
import { lastLine, tailLines } from '../evidence/tail-lines.ts';
import { withoutDenials } from './denials.ts';

type Plane = 'gpu' | 'host';

// That memory did not suffice, in anybody's words.
const SHORT = anyOf(
  'i',
  /\boom(?:s|ed|ing|['’]d)?\b|\boom[- _]?kill|[显内]存(?:不足|溢出|不够|耗尽|用[完尽光]|[占打撑]满)|[爆超]显存/,
  /out[- _]?of[- _]?(?:device[- _]?|gpu[- _]?|host[- _]?|cuda[- _]?|video[- _]?|graphics[- _]?)?memory/,
  /\b(?:not enough|no \w+ (?:device|card) has enough|insufficient|no more|ran out of|runs? out of|running out of)\b/,
  /\bexhaust/,
  /(?:fail(?:ed|ure|s)?|unable|cannot|can't|could not|couldn't) (?!(?:to )?(?:free|release|unpin) )(?:to )?(?:\w+ ){0,2}(?:alloc|pin|reserve|commit)/,
  /alloc\w{0,10} (?:\w+ ){0,3}fail|\bmemory overflow(?:s|ed|ing)?\b|no space left|\bbad_alloc\b/,
  /MemoryError|\bENOMEM\b|\bmemory limit (?:was |is )?exceeded/,
  /\bexceed(?:s|ed|ing)? (?:the |its )?(?:\w+ )?memory limit|\blimit exceeded\b/,
  /\bexceed(?:s|ed|ing)? (?:the )?(?:\w+ ){0,2}(?:limit\b|available (?:\w+ ){0,2}(?:memory|RAM)\b|\d{1,3} ?%)/,
  /\b(?:but|has|have|is|are|with|:) only [\d.,]{1,12} ?[KMGT]i?B\b|\btoo (?:large|big) (?:for|to fit)\b/,
);
const DEVICE = anyOf(
  'i',
  /显存|\bmemory of (?:the|both|each|all) cards?\b/,
  /\b(?:cuda|gpus?|vram|hbm|hip|rocm|mps|metal|xpu|npu|device memory|frame ?buffer|(?:geforce )?[rg]tx ?\d{4}|torch\.OutOfMemoryError|mem[-_]fraction[-_]static|gpu[-_]memory[-_]utilization|cuda\w+|hip[A-Z]\w+)\b/,
);
// What a pool holds: on the device where nothing else is named, and in RAM where that is.
const POOL = /\b(?:kv[ _-]?cache|cache blocks?)\b/i;
const HOST = anyOf(
  'i',
  /内存/,
  /\b(?:(?:host|system|cpu|main|physical|container|node|pod) (?:memory|ram|oom|out[- ]of[- ]memory)|out of host memory|ram|(?:max_)?rss|wss|swap|cgroup|memcg|pinned|anon|page cache|memory limit|\/dev\/shm|shm|shared memory)\b/,
  /oom[-_]?kill|\boom killed\b|\bKill(?:ed)? process\b|\bexit(?:ed)?(?: with)?(?: code)?:? ?137\b/,
  /\blimits? (?:of )?\d{1,4} ?[GM]i\b|\bCPU (?:pod|container|server|engine)\b|\bMemoryError\b|bad_alloc/,
  /Cannot allocate memory|\bENOMEM\b/,
);
// Advice, warnings of what might come, and figures of a server that runs are no failures.
const ADVICE = anyOf(
  'i',
  /\b(?:if|may|might|could|(?<!\b(?:another|next|first|second|last|this|each|every) )try|consider|avoid|prevent|risk(?:s|ing|ed)?|recommend|ensure|should|would|help|note|hint|tip|(?<!\b(?:we|I|they) (?:\w+ )?)see|can(?! ?not\b| be \w{1,20},))\b[^.]{0,80}$/,
  /\bto (?:avoid|prevent|reduce)\b/,
  /\b(?:common|possible|potential) (?:root )?(?:causes|reasons) (?:include|are)\b|\busage: ?\d/,
  /\butilization\b ?[=:]/,
);

// A field that says no, a counter that stands at none, and a pressure that is none (macOS names it by colours).
export const NOT_KILLED =
  /\bOOMKilled[\s"'=:|]{0,24}false|"OOMKilled"[^}]{0,300}\} 0$|\bmemory pressure\b[^.;\n]{0,24}\b(?:green|normal|none|low)\b/gi;

// ncclSystemError lists what a system call may have been.
const NCCL_LIST = /\(e\.g\. socket, malloc\)/;

// Pages are locked through the driver: where that is missing, none can be locked however much RAM there is. A device may be
// too old.
const NO_DRIVER =
  /CUDA driver version is insufficient|unsupported display driver|compute capability|no CUDA-capable device|no pinned memory pool/;

// The driver refuses what it was called with, and has memory enough.
const REFUSED_CALL = /\binvalid argument\b|\b(?:CUDA|HIP)_ERROR_INVALID_VALUE\b/i;

// Too few devices: where a process was put, and no memory.
const NO_DEVICES =
  /\b(?:not enough|insufficient|no more|r[ua]ns? out of|running out of) (?:\w+ ){0,2}(?:devices|[GN]PUs|cards|(?:nvidia|amd|intel)\.com\/\S+)\b/i;

// SGLang goes on without a copy of this request's blocks in RAM (srt/disaggregation/decode_kvcache_offload_manager.py).
const SKIPPED_COPY = /Not enough host memory for request /;

// Ranks that wait for others which never came, a program that says what may have ended its last run.
const GUESS = /\bother ranks that didn't finish\b|\bPrevious attempt to load model resulted in crash\b/;

/** Whether a line guesses what something else died of. */
export function isGuess(text: string): boolean {
  return GUESS.test(text);
}

/** What PyTorch adds to its sentence, be it wrapped: it speaks of graphs and settings on its own account. */
export const OWN_FIGURES =
  /Tried to allocate|of the allocated memory|private pools|\(e\.g\.,? (?:CUDA|HIP) Graphs|(?:allocated|reserved) by PyTorch/i;

// A scheduler that takes a request back for want of blocks goes on with it later.
const PREEMPTED = /\bpreempt(?:ed|ions?)\b/i;

// Said before the cache is freed and asked again: whether that helped, other lines tell.
const RETRIED = /memory allocation failed with OOM on device \d|may not be an issue e\.g\. torch allocator/;

/**
 * Which memory the words of the last lines speak of, where no phrase knows them: a line that says both that memory was
 * short and whose it was; and the memory that all noted figures are about. Good for a guess and no more.
 */
export function deriveWords(evidence: Evidence): Group {
  const { main, notes } = evidence.log;
  const last = lastLine(main);
  const ofNoWeight = linesOfNoWeight(evidence.weighing);
  const isOfNoWeight = ({ file, line }: LineCitation) => file === main?.file && ofNoWeight.has(line);
  return {
    'log.words-plane': shortage([main, ...notes], isOfNoWeight) ?? (last && known('nothing', last)),
  };
}

function shortage(readings: readonly (LogReading | undefined)[], isOfNoWeight: (line: LineCitation) => boolean) {
  const short = readShortage(readings, isOfNoWeight);
  return short && known<string>(short.plane, short.line);
}

/** The first line that says both that memory was short and whose it was. */
export function readShortage(
  readings: readonly (LogReading | undefined)[],
  isOfNoWeight: (line: LineCitation) => boolean = () => false,
): { readonly plane: Plane; readonly line: LineCitation } | undefined {
  for (const line of readings.flatMap((reading) => (reading === undefined ? [] : tailLines(reading)))) {
    if (isOfNoWeight(line) || goesRound(line.text)) continue;
    const plane = planeOfShortage(line.text);
    if (plane !== undefined) return { plane, line };
  }
  return undefined;
}

/** Whether what stands before a word makes advice, a warning or a figure of it. */
export function isAdvice(before: string): boolean {
  return ADVICE.test(before);
}

/** Which memory a line says was short, where it says both that and whose it was. */
export function planeOfShortage(text: string): Plane | undefined {
  const { promptAt, echoAt } = findMasks(text);
  const own = withoutDenials(
    cleanLine(text.slice(0, Math.min(promptAt, echoAt)))
      .clean.replace(NCCL_LIST, '')
      .replaceAll(NOT_KILLED, ''),
  );
  const short = SHORT.exec(own);
  if (
    short === null ||
    NO_DRIVER.test(own) ||
    NO_DEVICES.test(own) ||
    REFUSED_CALL.test(own) ||
    SKIPPED_COPY.test(own) ||
    PREEMPTED.test(own) ||
    RETRIED.test(own) ||
    isGuess(own) ||
    asksTheImpossible(own) ||
    isAdvice(own.slice(0, short.index))
  )
    return undefined;
  const host = HOST.test(own);
  const device = DEVICE.test(own) || (POOL.test(own) && !host);
  if (device === host) return undefined;
  return device ? 'gpu' : 'host';
}
