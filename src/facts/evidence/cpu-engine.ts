import type { Hit } from '../../model/log-reading.ts';
import { hasRole } from '../../model/signature-roles.ts';

/** What shows, apart from the log, whether vLLM runs on the CPU. */
export type Machine = {
  readonly image: string | undefined;
  readonly variables: readonly string[];
  /** What incident.json calls the engine. */
  readonly noted: string | undefined;
};

// vllm/platforms/__init__.py: the platform is the CPU if the version of vLLM contains `cpu` (setup.py adds `+cpu`, or `.cpu`
// after a commit).
const PLATFORM = /Automatically detected platform (\w+)/;
const DEVICE = /\bdevice_config=(\w+)/;
const VERSION = /\bv?\d+\.\d+\.\d[\w.]*\+(?:[\w.]+\.)?cpu\b/;
// `vllm/vllm-openai-cpu`, `…/vllm-cpu-release-repo`, and `vllm-cpu-env`, which its pages build.
const IMAGE = /\bvllm(?:-openai)?(?:-arm\w*)?-cpu(?=$|[:@]|-(?:release-repo|env)\b)/i;
// Only the CPU platform reads them (vllm/platforms/cpu.py), and some people keep them set on a GPU.
const VARIABLE = /^VLLM_CPU_(?:KVCACHE_SPACE|OMP_THREADS_BIND)$/;
// `vllm (CPU)`.
const NOTED = /\bvllm\b[^\n]{0,30}\bcpu\b/i;

// What the CPU worker advises if its memory is not enough (vllm/worker/cpu_worker.py v0.6.6).
const ASKS = /\bTry increasing `VLLM_CPU_KVCACHE_SPACE`/;

/** Whether vLLM runs on the CPU: as it printed, else by its build, or by its image or variables if no line mentions a GPU. */
export function isOnProcessor(hits: readonly Hit[], { image, variables, noted }: Machine): boolean {
  if (hits.some(({ clean }) => ASKS.test(clean))) return true;
  const printed = lastOf(hits, DEVICE) ?? lastOf(hits, PLATFORM);
  if (printed !== undefined) return printed === 'cpu';
  const isBuiltSo = hits.some(({ signature, clean }) => signature.engine === 'vllm' && VERSION.test(clean));
  const isSet =
    (image !== undefined && IMAGE.test(image)) ||
    variables.some((name) => VARIABLE.test(name)) ||
    NOTED.test(noted ?? '');
  return isBuiltSo || (isSet && !hits.some(isOfCard));
}

function isOfCard({ signature }: Hit): boolean {
  return hasRole(signature, 'of-card') || hasRole(signature, 'pytorch-oom');
}

function lastOf(hits: readonly Hit[], pattern: RegExp): string | undefined {
  const told = hits.flatMap(({ signature, clean, captures }) =>
    signature.engine === 'vllm' ? (pattern.exec(captures.config ?? clean)?.[1] ?? []) : [],
  );
  return told.at(-1);
}
