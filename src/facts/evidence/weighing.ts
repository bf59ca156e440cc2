import type { LogReading } from '../../model/log-reading.ts';
import type { Signature } from '../../model/signature.ts';
import { hasRole, type Role } from '../../model/signature-roles.ts';
import type { Cause } from '../../model/taxonomy.ts';
import { readOutlived } from '../../read/log/errors-outlived.ts';
import { endsNothing, lacksDriver } from '../../read/log/signs-of-work.ts';
import type { LogChoice } from '../log/choose-logs.ts';
import { isOnProcessor, type Machine } from './cpu-engine.ts';
import { asHint, withoutImpossible, withoutOwnKill } from './doubted-lines.ts';
import { withoutPassed, withoutTriedAgain } from './errors-outlived.ts';
import {
  isBelow,
  isDecidingPlane,
  isOfEngine,
  isSameReport,
  type Weighed,
  type Weighing,
  withSignatures,
} from './weigh.ts';

/** Weighs the lines: proof before strong, the first before the last; another file never decides against the log. */
export function weigh(log: LogChoice, machine: Machine, exitCode: number | undefined): Weighing {
  const read = withSignatures(log.main === undefined ? [] : [log.main]).map((one) => asHint(one, log));
  const told = withoutOwnKill(withoutImpossible(ofItsMemory(read, log, machine)));
  const above = withSignatures(runsAbove(log));
  const noted = withSignatures(log.notes).map((weighed) => asHint(weighed, log));
  const all = withoutPassed(withoutTriedAgain(told, log.main), { exitCode, above });
  const open = log.main && readOutlived(log.main).open;
  const final = all.filter((weighed) => !isOutlived(weighed, open));
  const proofs = final.filter(
    (weighed) => weighed.signature.weight === 'proof' && isDecidingPlane(weighed.signature) && !isOfOther(weighed, all),
  );
  const deciding = final
    .filter(({ signature }) => isDecidingPlane(signature) && (signature.weight === 'strong' || rulesOut(signature)))
    .filter((weighed) => !isOfOther(weighed, all) && !isPassedBy(weighed, all));
  const fatal = deciding.filter(({ signature }) => !endsNothing(signature));
  return {
    all,
    above,
    noted,
    proofs,
    decisive: proofs[0] ?? fatal[0] ?? deciding[0] ?? firstNoted(noted, all),
    looksLike: all.find(({ signature }) => rulesOut(signature)),
    hints: [...final, ...noted.filter(isNote)].filter(isHint),
  };
}

// A log may hold several runs, of which the last may be well.
function runsAbove({ main, whole }: LogChoice): LogReading[] {
  const first = main?.hits[0]?.line;
  return whole === undefined || first === undefined
    ? []
    : [{ ...whole, hits: whole.hits.filter(({ line }) => line < first) }];
}

// An engine on the processor has its weights, its passes and its pool in RAM, whatever its lines call them. What it runs on
// it says above its banner, where another run may seem to end.
function ofItsMemory(all: Weighed[], { main, whole }: LogChoice, machine: Machine): Weighed[] {
  if (!isOnProcessor((whole ?? main)?.hits ?? [], machine)) return all;
  return all.map((weighed) => (weighed.signature.plane === 'gpu' ? inRam(weighed) : weighed));
}

function inRam({ signature, ...weighed }: Weighed): Weighed {
  if (signature.phase !== 'startup') return { ...weighed, signature: { ...signature, plane: 'host', causes: [] } };
  const causes: Cause[] = ['host.startup.limit'];
  const roles = [...(signature.roles ?? []), 'start-refused' as const];
  return { ...weighed, signature: { ...signature, plane: 'host', causes, roles } };
}

function isHint({ signature }: Weighed): boolean {
  return signature.weight === 'hint';
}

function isNote({ file, signature }: Weighed): boolean {
  return file === 'describe.txt' ? hasRole(signature, 'pod-status') : /^(?:metrics|nvidia-smi|kernel)\.txt$/.test(file);
}

// The kernel log and the status have readers of their own, which go first; this is for what they cannot make out.
function firstNoted(noted: readonly Weighed[], all: readonly Weighed[]): Weighed | undefined {
  const ran = all.some(isOfEngine);
  const deciding = noted
    .filter((weighed) => isDecidingPlane(weighed.signature) && !endsNothing(weighed.signature))
    .filter(({ signature }) => !(ran && signature.causes[0] === 'none.scheduling'));
  return (
    deciding.find(({ signature }) => signature.weight === 'proof') ??
    deciding.find(({ signature }) => signature.weight === 'strong' || rulesOut(signature))
  );
}

function rulesOut(signature: Signature): boolean {
  return signature.weight === 'rules-out';
}

// CUDA allocates pinned RAM and reserves address ranges too, and reports all three shortages with the same error: in one
// report with either of these, that error does not prove a GPU memory shortage. Nor do the error codes and the messages of
// other vendors in a report of an address range.
// TensorRT-LLM reports every `out of memory` of its setup as the GPU's, one traceback below the line that raised it
// (tensorrt_llm/_torch/pyexecutor/py_executor_creator.py).
function isOfOther(weighed: Weighed, all: readonly Weighed[]): boolean {
  const { signature, hit } = weighed;
  const hasInReport = (role: Role) => all.some((one) => hasRole(one.signature, role) && isSameReport(one, weighed));
  const refusedAbove = (lines: number) =>
    all.some(
      (one) => hasRole(one.signature, 'pinned-refused') && isBelow(weighed, one) && hit.line - one.hit.line <= lines,
    );
  return (
    (hasRole(signature, 'either-memory') && hasInReport('other-call')) ||
    (hasRole(signature, 'word-or-code') && hasInReport('addresses')) ||
    (hasRole(signature, 'of-setup') && refusedAbove(TRACEBACK_LINES)) ||
    // Vulkan names the failure in one line and the reason of the driver in the next; ggml then takes ordinary memory.
    (hasRole(signature, 'of-driver') && refusedAbove(1))
  );
}

const TRACEBACK_LINES = 80;

// A kill or a lack of memory below shows that this was not the end.
function isPassedBy({ signature, hit, file }: Weighed, all: readonly Weighed[]): boolean {
  // Where a port is taken or a file is not there, the program may take another; where one process crashed, others go on.
  if (!lacksDriver(signature) && signature.causes[0] !== 'none.config' && !hasRole(signature, 'one-process'))
    return false;
  return all.some((one) => one.file === file && one.hit.line > hit.line && isOfMemory(one.signature));
}

function isOfMemory({ plane, weight }: Signature): boolean {
  return (plane === 'host' && weight === 'hint') || ((plane === 'host' || plane === 'gpu') && weight === 'strong');
}

// The engine was at work long after it: somebody got an error, and nothing shows that it ended.
function isOutlived({ hit, signature }: Weighed, open: ReadonlySet<number> | undefined): boolean {
  return open?.has(hit.line) === true && signature.weight !== 'context';
}
