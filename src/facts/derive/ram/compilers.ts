import type { Fact } from '../../../model/fact.ts';
import { fact } from '../draft.ts';
import type { Evidence } from '../evidence.ts';
import { lastMilestone } from '../life/life.ts';
import { lastLine } from '../weigh/tail-lines.ts';
import { citeHit, type Weighed } from '../weigh/weigh.ts';

const BY_ITSELF = /^compiler\.(?:killed|job-killed|memory)$/;
const WORD = /^host\.killed-word/;
// CUDA's, gcc's, LLVM's and ROCm's, as the kernel names their processes (15 characters at most).
const COMPILERS =
  /^(?:cicc|ptxas|nvcc|nvlink|fatbinary|cudafe\+\+|tileiras|cc1(?:plus)?|as|ld(?:\.\w{1,8})?|lld|clang(?:\+\+)?(?:-\d{1,2})?|hipcc|amdclang\+{0,2}|ninja)$/;

/** Whether a compiler of kernels was killed: the kernel names it as its victim, or what ran it saw it killed. */
export function readCompilerKilled(evidence: Evidence): Fact | undefined {
  const { weighing, kernel, log } = evidence;
  const { victim } = kernel ?? {};
  const isCompiler = victim?.name !== undefined && COMPILERS.test(victim.name);
  if (isCompiler && !isLoading(evidence)) return fact(true, victim.from);
  const told = weighing.all.find(isOfCompiler);
  const last = lastLine(log.main);
  return told === undefined ? last && fact(false, [last]) : fact(true, [citeHit(told)]);
}

const LOADS = /^phase\.\S*(?:load|shards)/;
const COMPILES = /^compiler\./;

// A log that ends in a load compiles nothing: a compiler that the kernel names is of somebody else then.
function isLoading(evidence: Evidence): boolean {
  const { all } = evidence.weighing;
  const last = all.findLast(({ phrase }) => phrase.id.startsWith('phase.'));
  if (last === undefined || !LOADS.test(last.phrase.id) || all.some(({ phrase }) => COMPILES.test(phrase.id)))
    return false;
  return lastMilestone(evidence)?.milestone === 'load-begin';
}

// A shell's word has the cause where ninja reports it (killed-jobs.ts).
function isOfCompiler({ phrase }: Weighed): boolean {
  if (phrase.weight === 'context') return false;
  return BY_ITSELF.test(phrase.id) || (WORD.test(phrase.id) && phrase.causes[0] === 'host.startup.workers');
}
