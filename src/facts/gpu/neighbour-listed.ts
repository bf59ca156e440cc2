import type { Cited } from '../../model/engine-reader.ts';
import type { Fact } from '../../model/fact.ts';
import { GIB } from '../../model/quantity.ts';
import type { SmiGpu, SmiProcess } from '../../read/tools/nvidia-smi.ts';
import { computed } from '../draft.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { tailLines } from '../log/tail-lines.ts';
import { isLocalAi } from '../when/lifetime.ts';

// A CUDA context takes 0.3 to 0.6 GiB.
const AT_WORK = GIB;

/**
 * What processes of another program hold on a card of the engine, by nvidia-smi. Only where the names of the list tell whose
 * is whose: one bears the engine's name, the others do not.
 */
export function foreignListed({ smi, engine }: Pick<Evidence, 'smi' | 'engine'>): Cited<number> | undefined {
  const large = (smi?.processes ?? []).flatMap(({ gpu, name, used }) =>
    used === undefined || name === undefined || used.value < AT_WORK ? [] : [{ gpu, name: name.toLowerCase(), used }],
  );
  const isOwn = ({ name }: { readonly name: string }) => name.includes(engine.engine);
  const own = large.find(isOwn);
  if (own === undefined) return undefined;
  const others = large.filter((one) => one.gpu === own.gpu && one !== own);
  const first = others[0];
  if (first === undefined || others.some(isOwn)) return undefined;
  return { value: others.reduce((sum, { used }) => sum + used.value, 0), from: first.used.from };
}

/**
 * What the other processes hold where a server starts one for each model: the one that failed is at most the largest of them.
 * Of several cards the one on which they hold least.
 */
export function siblingsListed(evidence: Pick<Evidence, 'smi' | 'program' | 'incident'>): Cited<number> | undefined {
  if (!isLocalAi(evidence)) return undefined;
  const sizes = Map.groupBy(evidence.smi?.processes ?? [], ({ gpu }) => gpu);
  const held = [...sizes.values()].map((listed) => {
    const others = listed
      .flatMap(({ used }) => (used === undefined || used.value < AT_WORK ? [] : [used]))
      .toSorted((a, b) => b.value - a.value)
      .slice(1);
    return others[0] && { value: others.reduce((sum, { value }) => sum + value, 0), from: others[0].from };
  });
  return held.toSorted((a, b) => (a?.value ?? 0) - (b?.value ?? 0))[0];
}

type Named = Pick<Evidence, 'smi' | 'engine' | 'log' | 'incident'>;

/**
 * What programs that can not be the engine hold of its card, by nvidia-smi, against the memory of that card. Of several cards
 * the one on which they hold least: nothing tells which of them the engine was given.
 */
export function neighbourShare(evidence: Named): Fact | undefined {
  const { gpus = [], processes = [] } = evidence.smi ?? {};
  const shares = gpus.map((gpu) => ({ gpu, held: heldOn(gpu, processes, evidence) }));
  const least = shares.toSorted((a, b) => (a.held?.value ?? 0) - (b.held?.value ?? 0))[0];
  return computed([least?.held, least?.gpu.total], (held, total) => held / total);
}

/** What programs that can not be the engine hold of one card, by nvidia-smi. */
export function heldOn(
  { index, used }: Pick<SmiGpu, 'index'> & Partial<SmiGpu>,
  processes: readonly SmiProcess[],
  evidence: Named,
): Cited<number> | undefined {
  const listed = processes.filter((one) => (one.gpu ?? index) === index && one.name !== undefined);
  const others = listed.filter(({ name = '' }) => isOfOther(name, evidence));
  const sizes = others.flatMap((one) => one.used ?? []);
  const [first] = sizes;
  // Windows does not tell who holds how much (WDDM): where the engine is not listed, all that is in use is somebody else's.
  if (first === undefined) return others.length > 0 && !listed.some((one) => isOwn(one, evidence)) ? used : undefined;
  return { value: sizes.reduce((sum, { value }) => sum + value, 0), from: first.from };
}

function isOwn({ name = '' }: SmiProcess, { engine }: Named): boolean {
  return name.toLowerCase().includes(engine.engine);
}

// The names that engines give their processes, or the programs they are.
const ENGINES = /\b(vllm|sglang|ollama|lmdeploy)\b/;
// Their child processes are other engines.
const RUNS_OTHERS = /^(?:triton|localai|unknown)$/;
const INTERPRETER = /^(?:\.{3})?(.*\S)\/bin\/python[\d.]{0,6}$/;
const PYTHON = /(?:^|[\\/])python[\w.]{0,8}$/;
// Their servers and runners are programs of their own (ollama/ollama llm/server.go), never run by an interpreter.
const NATIVE = /^(?:ollama\b|lm[ -]?studio)/i;
const SYSTEM = /^(?:\/usr(?:\/local)?)?$/;

// A Python of an environment has what it imports below that environment (sys.prefix): where no frame of the engine lies there,
// it runs by another. nvidia-smi cuts long paths at the front.
function isOfOther(listed: string, { engine, log, incident }: Named): boolean {
  const name = listed.toLowerCase();
  if (name.includes(engine.engine)) return false;
  if (NATIVE.test(incident?.engine ?? engine.engine) && PYTHON.test(name)) return true;
  if (ENGINES.test(name)) return !RUNS_OTHERS.test(engine.engine);
  const home = INTERPRETER.exec(listed)?.[1];
  if (home === undefined || SYSTEM.test(home) || log.main === undefined) return false;
  const frames = tailLines(log.main).flatMap(({ text }) => FRAME.exec(text)?.[1] ?? []);
  return frames.length > 0 && !frames.some((path) => path.includes(`${home}/`));
}

const FRAME = /\bFile "(\/[^"]{1,300})", line \d/;
