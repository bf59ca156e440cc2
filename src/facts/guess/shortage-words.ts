import type { LineCitation } from '../../model/citation.ts';
import type { Fact } from '../../model/fact.ts';
import { cleanLine } from '../../read/log/clean-line.ts';
import { findMasks } from '../../read/log/mask.ts';
import { known } from '../../read/reading.ts';
import { anyOf } from '../../read/text/patterns.ts';
import { goesRound } from '../evidence/ignored-lines.ts';
import { asksTheImpossible } from '../log/memory-wording.ts';
import { isGuess } from '../log/peer-death.ts';

const SHORT = anyOf(
  'i',
  /\boom(?:s|ed|ing)?\b|\boom[- _]?kill|[显内]存(?:不足|溢出|不够|耗尽)/,
  /out[- _]?of[- _]?(?:device[- _]?|gpu[- _]?|host[- _]?|cuda[- _]?|video[- _]?|graphics[- _]?)?memory/,
  /\b(?:not enough|no \w+ (?:device|card) has enough|insufficient|no more|ran out of|runs? out of|running out of)\b/,
  /\bexhaust/,
  /(?:fail(?:ed|ure|s)?|unable|cannot|can't|could not|couldn't) (?!(?:to )?(?:free|release|unpin) )(?:to )?(?:\w+ ){0,2}(?:alloc|pin|reserve|commit)/,
  /alloc\w{0,10} (?:\w+ ){0,3}fail|\bmemory overflow(?:s|ed|ing)?\b|no space left|\bbad_alloc\b|MemoryError|\bENOMEM\b/,
  /\bmemory limit (?:was |is )?exceeded|\bexceed(?:s|ed|ing)? (?:the |its )?(?:\w+ )?memory limit|\blimit exceeded\b/,
  /\bexceed(?:s|ed|ing)? (?:the )?(?:\w+ ){0,2}(?:limit\b|available (?:\w+ ){0,2}(?:memory|RAM)\b|\d{1,3} ?%)/,
  /\b(?:but|has|have|is|are|with|:) only [\d.,]{1,12} ?[KMGT]i?B\b|\btoo (?:large|big) (?:for|to fit)\b/,
);
const DEVICE = anyOf(
  'i',
  /显存|\b(?:cuda|gpus?|vram|hbm|hip|rocm|mps|metal|xpu|npu|device memory|frame ?buffer|(?:geforce )?[rg]tx ?\d{4}|torch\.OutOfMemoryError|mem[-_]fraction[-_]static|gpu[-_]memory[-_]utilization|cuda\w+|hip[A-Z]\w+)\b/,
);
// On the GPU unless the line names RAM.
const POOL = /\b(?:kv[ _-]?cache|cache blocks?)\b/i;
const HOST = anyOf(
  'i',
  /内存|\b(?:(?:host|system|cpu|main|physical|container|node|pod) (?:memory|ram|oom|out[- ]of[- ]memory)|out of host memory|ram|(?:max_)?rss|wss|swap|cgroup|memcg|pinned|anon|page cache|memory limit|\/dev\/shm|shm|shared memory)\b/,
  /oom[-_]?kill|\boom killed\b|\bKill(?:ed)? process\b|\bexit(?:ed)?(?: with)?(?: code)?:? ?137\b/,
  /\bCPU (?:pod|container|server|engine)\b|\bMemoryError\b|bad_alloc|Cannot allocate memory|\bENOMEM\b/,
);
const ADVICE = anyOf(
  'i',
  /\b(?:if|may|might|could|(?<!\b(?:another|next|first|second|last|this|each|every) )try|consider|avoid|prevent|risk(?:s|ing|ed)?|recommend|ensure|should|would|help|note|hint|tip|(?<!\b(?:we|I|they) (?:\w+ )?)see|can(?! ?not\b| be \w{1,20},))\b[^.]{0,80}$/,
  /\bto (?:avoid|prevent|reduce)\b/,
  /\b(?:common|possible|potential) (?:root )?(?:causes|reasons) (?:include|are)\b|\busage: ?\d/,
  /\butilization\b ?[=:]/,
);

/** A field or counter that says no kill, and no pressure. */
export const NOT_KILLED =
  /\bOOMKilled[\s"'=:|]{0,24}false|"OOMKilled"[^}]{0,300}\} 0$|\bmemory pressure\b[^.;\n]{0,24}\b(?:green|normal|none|low)\b/gi;

const NO_SHORTAGE = anyOf(
  '',
  // A driver that is missing or too old can lock no pages, however much RAM there is.
  /CUDA driver version is insufficient|unsupported display driver|compute capability|no CUDA-capable device|no pinned memory pool/,
  /\b[Ii]nvalid argument\b|\b(?:CUDA|HIP)_ERROR_INVALID_VALUE\b/,
  // Too few GPUs.
  /\b(?:[Nn]ot enough|[Ii]nsufficient|[Nn]o more|[Rr][ua]ns? out of|[Rr]unning out of) (?:\w+ ){0,2}(?:devices|[GN]PUs|cards|(?:nvidia|amd|intel)\.com\/\S+)\b/,
  // SGLang goes on without a copy of these blocks in RAM (srt/disaggregation/decode_kvcache_offload_manager.py).
  /Not enough host memory for request |\b[Pp]reempt(?:ed|ions?)\b/,
  // Said before PyTorch frees its cache and asks again.
  /memory allocation failed with OOM on device \d|may not be an issue e\.g\. torch allocator/,
);

// ncclSystemError lists what a system call may have been.
const NCCL_LIST = /\(e\.g\. socket, malloc\)/;

/** The first line that says both that memory was short and which. */
export function readShortage(lines: readonly LineCitation[], ofNoWeight: ReadonlySet<number>): Fact | undefined {
  for (const line of lines) {
    const plane = ofNoWeight.has(line.line) || goesRound(line.text) ? undefined : planeOfShortage(line.text);
    if (plane !== undefined) return known<string>(plane, line);
  }
  return undefined;
}

/** Whether what stands before a word makes advice, a warning or a figure of it. */
export function isAdvice(before: string): boolean {
  return ADVICE.test(before);
}

function planeOfShortage(text: string): 'gpu' | 'host' | undefined {
  const { promptAt, echoAt } = findMasks(text);
  const own = cleanLine(text.slice(0, Math.min(promptAt, echoAt)))
    .clean.replace(NCCL_LIST, '')
    .replaceAll(NOT_KILLED, '');
  const short = SHORT.exec(own);
  if (short === null || NO_SHORTAGE.test(own) || isGuess(own)) return undefined;
  if (asksTheImpossible(own) || isAdvice(own.slice(0, short.index))) return undefined;
  const host = HOST.test(own);
  const device = DEVICE.test(own) || (POOL.test(own) && !host);
  if (device === host) return undefined;
  return device ? 'gpu' : 'host';
}
