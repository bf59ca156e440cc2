import type { Hit } from '../../model/log-reading.ts';
import { goesOn } from './signs-of-work.ts';

// Servers that load models one after another, or beside each other. One that does not load, or whose process dies, is
// answered with an error, and the server goes on for the others (ollama/ollama server/sched.go;
// triton-inference-server/server src/main.cc, --exit-on-error=false; mudler/LocalAI pkg/model/initializers.go).
const SERVER = /^(?:ollama\.cfg\.version|phase\.ollama-\w+|phase\.triton-ready|triton\.num\.loading)$/;
// What an instance of llama.cpp's router prints stands behind its port (ggml-org/llama.cpp
// tools/server/server-models.cpp), and what a backend of LocalAI does behind its address (pkg/model/process.go).
const OF_INSTANCE = /^\[ {0,4}\d{4,5}\] |^[^\n]{0,80}?\bGRPC\([^\n]{1,200}?\): std(?:err|out) /;
const SERVER_BEGINS = /\.cfg\.version$/;
const SERVER_UP = /^ollama\.cfg\.version$/;
const LOADED = /^phase\.ollama-started$/;

/** A model that a server can not load, or does not have. */
const MODEL = /^(?:triton|ollama)\.model$/;

/** Whether a line tells of a model that a server does without which was up before. */
export function isModelRefused(hit: Hit, hits: readonly Hit[]): boolean {
  return MODEL.test(hit.id) && hits.some(({ id, line }) => line < hit.line && (SERVER_UP.test(id) || goesOn(id)));
}

/** Where a server of several models is seen up again, below a line that tells of one of them. */
export function serverBelow(hit: Hit, hits: readonly Hit[]): Hit | undefined {
  if (!OF_INSTANCE.test(hit.text) && !hits.some(({ id }) => SERVER.test(id))) return undefined;
  const below = hits.filter(({ line }) => line > hit.line);
  const end = below.findIndex(({ id }) => SERVER_BEGINS.test(id));
  return below.slice(0, end === -1 ? below.length : end).find(({ id }) => goesOn(id) || LOADED.test(id));
}
