import type { Cited } from '../../model/engine-reader.ts';
import { GIB } from '../../model/quantity.ts';
import { RAM_HEADROOM, wholeLimit } from '../../model/safe-values.ts';
import { defineFacts, type Told } from '../evidence/define.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { enginesOfNode, ranksShown } from '../evidence/ranks.ts';
import { citedNumber, fact } from '../log/draft.ts';

const LIMIT = 'the memory limit of the container';

/** The memory limit to raise to. */
export const RAM_RAISED_LIMIT = defineFacts(
  {
    'ram.limit-raised': {
      unit: 'bytes',
      says: 'the limit to raise to: half as much again, at least 3 GiB per process of the engine, and at least 1.3 times the highest use',
      needs: LIMIT,
    },
    'ram.limit-raised-fits': {
      unit: 'yes-no',
      says: 'the node has that much memory for pods',
      needs: `${LIMIT} and the node (node.json)`,
    },
  },
  (evidence, told) => {
    const limit = citedNumber(told['ram.limit']);
    const most = Math.max((limit?.value ?? 0) * RAISE, processBytes(evidence), ramToLast(evidence, told)?.value ?? 0);
    const raised = limit && { value: wholeLimit(most), from: limit.from };
    const whole = citedNumber(evidence.node?.allocatableMemory);
    return {
      'ram.limit-raised': raised && fact(raised.value, [raised.from]),
      'ram.limit-raised-fits': raised && whole && fact(raised.value <= whole.value, [raised.from, whole.from]),
    };
  },
);

// What a limit that was reached is raised by, if nothing shows a higher need.
const RAISE = 1.5;

/** The limit that lasts: 1.3 times the highest use. A kill in less than the processes take by themselves tells nothing of it. */
export function ramToLast(evidence: Evidence, told: Told): Cited<number> | undefined {
  const most = highestRam(told);
  const limit = most && { ...most, value: most.value * RAM_HEADROOM };
  return limit && limit.value >= processBytes(evidence) ? limit : undefined;
}

// At a kill by the limit the use was the limit, whatever the last reading before it says.
function highestRam(told: Told): Cited<number> | undefined {
  const of = (id: string) => citedNumber(told[id]);
  const killed = told['death.oom-killed'];
  const atKill = killed?.kind === 'known' && killed.value === true ? of('ram.limit') : undefined;
  const seen = [of('ram.peak'), of('ram.used'), of('ram.offload-bytes'), atKill].filter((one) => one !== undefined);
  return seen.toSorted((a, b) => b.value - a.value)[0];
}

// A Python process with CUDA holds up to 3 GiB, and so does a server of llama.cpp with its buffers.
const PROCESS_BYTES = 3 * GIB;
// One program that holds the model, whatever the number of GPUs (ggml-org/llama.cpp tools/server; ollama/ollama runner).
const OF_ONE: ReadonlySet<string> = new Set(['llama.cpp', 'ollama']);
const OF_RANKS: ReadonlySet<string> = new Set(['vllm', 'sglang', 'tgi', 'lmdeploy', 'tensorrt-llm']);

// The RAM that the processes of a known engine on this node may hold by themselves. Next to the ranks there are a server, and
// the core of each engine or its tokenizer and detokenizer.
function processBytes(evidence: Evidence): number {
  const { engine } = evidence.engine;
  if (OF_ONE.has(engine)) return PROCESS_BYTES;
  return OF_RANKS.has(engine) ? (ranksShown(evidence) + 1 + enginesOfNode(evidence.args)) * PROCESS_BYTES : 0;
}
