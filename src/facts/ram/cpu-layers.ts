import type { Group } from '../draft.ts';
import type { Evidence } from '../evidence/evidence.ts';
import type { Weighed } from '../evidence/weigh.ts';

// The runner of its own engine reads what stays on the processor into RAM; that of llama.cpp maps the file
// (ollama/ollama ml/backend/ggml/ggml.go, llm/server.go).
const OWN_ENGINE = /--ollama-engine\b/;
const STARTS = 'phase.ollama-load';

/** What Ollama says that it leaves in RAM of a model that does not fit the cards, against the limit. */
export function deriveLeftOnCpu({ weighing }: Evidence): Group {
  const started = weighing.all.findLast(({ phrase }) => phrase.id === STARTS);
  if (started === undefined || !OWN_ENGINE.test(started.hit.text)) return {};
  // It tries several layouts, and the last line of each kind is the one that it takes.
  const last = new Map<string, Weighed>();
  for (const one of weighing.all) {
    if (one.phrase.id === 'ollama.num.on-cpu' && one.hit.line > started.hit.line) {
      last.set(one.hit.captures.kind ?? '', one);
    }
  }
  return {};
}
