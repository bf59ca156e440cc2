import type { Group } from '../draft.ts';
import type { Evidence } from '../evidence.ts';

// What servers print as they take up a prompt: Ollama runner/ollamarunner/cache.go, llama.cpp tools/server.

// `prompt: about 245k tokens`, `a 12k-token prompt`; a number of prompts or a rate is none.

// `each time a context of about 110k comes`: of what it is a number goes without saying.
// What went well is the length of another moment.

/** The prompt that was taken up last before the failure, else the longest that somebody noted beside it. */
export function derivePromptLength(evidence: Evidence): Group {
  const { log, weighing } = evidence;
  return {};
}
