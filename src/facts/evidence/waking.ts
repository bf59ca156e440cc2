import type { Citation } from '../../model/citation.ts';
import type { Evidence } from './evidence.ts';
import { tailLines } from './tail-lines.ts';
import { citeHit, type Weighed, type Weighing } from './weigh.ts';

// A trainer, or the engine on its word, says that memory which was lent is taken back; that it took so long, that it was.
const TAKES_BACK =
  /^(?![^\n]*\btook\b)[^\n]*(?:\bwak(?:e|es|ing|en)[ _-]?up\b|\bresume_memory_occupation\b|\bresum(?:e|es|ing) (?:the )?(?:\w+ )?(?:memory|occupation|weights?|kv|cache|pools?)\b)/i;
// Whoever had asked for it was told so: the access log of the server, or a client of it (vLLM
// v1/engine/core.py and entrypoints/serve/dev/sleep/api_router.py, SGLang srt/entrypoints/http_server.py).
const NOT_TAKEN_BACK =
  /\/(?:wake_up|resume_memory_occupation)\b[^"\n]{0,60}" 5\d\d\b|\bto (?:wake_up|resume_memory_occupation) (?:method )?failed\b/;
const WAKING_LINES = 30;

/** An allocator that is asked at a start and at a waking only, and ends the process without frames. */
export function wakingInWords({ weighing, log }: Pick<Evidence, 'weighing' | 'log'>): Citation | undefined {
  const { decisive } = weighing;
  const { main } = log;
  if (main === undefined || decisive?.phrase.plane !== 'gpu' || decisive.phrase.phase !== 'startup') return undefined;
  const near = tailLines(main).filter(({ line }) => Math.abs(decisive.hit.line - line) <= WAKING_LINES);
  const asked = near.findLast(({ line, text }) => line <= decisive.hit.line && TAKES_BACK.test(text));
  const refused = near.find(({ line, text }) => line >= decisive.hit.line && NOT_TAKEN_BACK.test(text));
  return asked ?? refused ?? asleep(weighing, decisive);
}

// Whoever slept last and has not woken since asks for nothing but what it gave back.
function asleep({ all }: Weighing, { hit, file }: Weighed): Citation | undefined {
  const last = all.findLast((one) => SLEEPS.test(one.phrase.id) && one.file === file && one.hit.line <= hit.line);
  return last === undefined || last.phrase.id === AWAKE ? undefined : citeHit(last);
}

const AWAKE = 'vllm.sleep.awake';
const SLEEPS = /^vllm\.(?:num\.sleep|sleep\.(?:asleep|awake))$/;
