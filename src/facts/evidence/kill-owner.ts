import { idsOf, podOfGroup } from '../../read/cluster/cgroup-ids.ts';
import type { Termination } from '../../read/cluster/container-states.ts';
import { BY_SIGNAL_9, type DeathReading, isEnd } from '../../read/cluster/death.ts';
import { firstOf, type PodEvidence } from '../../read/cluster/gather.ts';
import { isOtherProgram, isProgramOfEngine, isSystemService, isTheSame } from '../../read/engine/program-names.ts';
import type { Program } from '../../read/engine/program-words.ts';
import type { KernelKill, Whose } from '../../read/kernel/kernel.ts';
import { CLOCK_SKEW_MS, isOfOtherZone, mayBeOfOtherZone } from '../../read/text/when.ts';
import { ONE_INCIDENT_MS, startOf } from '../log/run-of-log.ts';

type Looked = {
  readonly pod: PodEvidence;
  readonly death: DeathReading;
  readonly program: Program;
};

/**
 * Tells whose process a kill of the kernel log ended. dmesg is of the whole node: a kill is the container's where its group is
 * that of the container or its process one that engines start, and within the life that ended. One that the container
 * outlived by hours did not end it.
 */
export function whoseKill(looked: Looked): (kill: KernelKill) => Whose {
  const own = wordsOf(looked);
  const uid = firstOf(looked.pod, (view) => view.uid)?.toLowerCase();
  const created = firstOf(looked.pod, (view) => view.createdAt)?.value;
  return (kill) => {
    const older = ofOlderPod(kill.at, created);
    if (older !== undefined) return older;
    const group = kill.taskMemcg ?? (isGroup(kill.about) ? kill.about : undefined) ?? '';
    const byId = ofRun(kill.at, group, looked.death);
    if (byId !== undefined) return byId;
    const pod = podOfGroup(group);
    if (pod !== undefined && uid !== undefined && pod !== uid) return 'other';
    const named = byName(kill, own, looked.pod.views.length > 0);
    if (pod === undefined || pod !== uid) return worse(named, byTime(kill.at, looked.death));
    return isOfNext(kill.at, looked.death) ? inPod(named) : worse(inPod(named), byTime(kill.at, looked.death));
  };
}

// What was killed before the pod was there is of one that it replaced, or of another pod.
function ofOlderPod(at: number | undefined, created: number | undefined): Whose | undefined {
  const before = at === undefined || created === undefined ? 0 : created - at;
  if (before <= CLOCK_SKEW_MS) return undefined;
  return mayBeOfOtherZone(before) ? 'unsure' : 'other';
}

// Another program in the same pod is one of its helpers.
function inPod(named: Whose): Whose {
  return named === 'other' ? 'unsure' : 'own';
}

function worse(a: Whose, b: Whose): Whose {
  return [a, b].find((one) => one === 'other') ?? [a, b].find((one) => one === 'unsure') ?? 'own';
}

function byName({ name, about }: KernelKill, own: readonly string[], isOfPod: boolean): Whose {
  const said = name ?? about;
  if (said === undefined) return 'own';
  const unit = name === undefined && isGroup(about);
  // The slice of a pod names no program; if no pod is named it is the one that is looked at.
  if (unit && podOfGroup(said) !== undefined) return isOfPod ? 'unsure' : 'own';
  // What a systemd unit is called, without its kind and the slices around it.
  const bare = unit ? (said.split('/').at(-1) ?? said).replace(/\.(?:service|scope|slice)$/, '') : said;
  if (own.some((word) => isTheSame(word, bare))) return 'own';
  if (isProgramOfEngine(bare)) return 'own';
  if (isOtherProgram(bare) || (unit && isOfPod && isSystemService(said))) return 'other';
  return 'unsure';
}

function isGroup(about: string | undefined): about is string {
  return about !== undefined && /\.(?:service|scope|slice)$|^\//.test(about);
}

/** Of a kill whose group bears the id of a run of the container; undefined of any other. */
function ofRun(at: number | undefined, group: string, death: DeathReading): Whose | undefined {
  if (death.kind === 'none') return undefined;
  const { place, view, end } = death.death;
  const ids = idsOf(view);
  const run = ([1, 0] as const).find((one) => ids[one] !== undefined && group.includes(ids[one]));
  if (run === undefined) return undefined;
  // The id is that of one run. If that run ended, the time need not be checked.
  if (run === (place === 'state' ? 1 : 0)) return 'own';
  return signalOwnerAt(at ?? (run === 0 && isEnd(view.lastState) ? view.lastState.finishedAt?.value : undefined), end);
}

// Anything may have sent signal 9, and a kill in another run may be days earlier or later.
function signalOwnerAt(at: number | undefined, { finishedAt, exitCode }: Termination): Whose {
  if (at === undefined || finishedAt === undefined) return exitCode?.value === BY_SIGNAL_9 ? 'unsure' : 'own';
  const between = Math.abs(at - finishedAt.value);
  return between > ONE_INCIDENT_MS && !isOfOtherZone(between) ? 'other' : 'own';
}

function wordsOf({ death, program }: Looked): readonly string[] {
  const container = death.kind === 'death' ? death.death.container : death.engine;
  const words = [...program.words.map(({ value }) => value), program.image?.value ?? '', container ?? ''];
  return words.flatMap((word) => word.split(/[\s/:=@]+/)).filter((word) => word.length > 2);
}

// Clocks of node and API server, and the drift of the kernel's clock against them.
const NEAR_MS = 120_000;
const CLOSE_MS = 10 * 60_000;

function byTime(at: number | undefined, reading: DeathReading): Whose {
  if (at === undefined || reading.kind === 'none') return 'own';
  const { end } = reading.death;
  if (!isEnd(end) || end.finishedAt === undefined) return 'own';
  const [ended, started] = [end.finishedAt.value, end.startedAt?.value];
  const outside = Math.max(at - ended, started === undefined ? 0 : started - at, 0);
  if (outside <= NEAR_MS) return ended - at <= ONE_INCIDENT_MS || isOfOtherZone(ended - at) ? 'own' : 'unsure';
  // `dmesg -T` has the node's own time and no zone.
  return outside <= CLOSE_MS || isOfOtherZone(at - ended) ? 'unsure' : 'other';
}

// The run that followed the end that is looked at, in the same incident.
function isOfNext(at: number | undefined, reading: DeathReading): boolean {
  if (at === undefined || reading.kind === 'none' || reading.death.place === 'state') return false;
  const { end, view } = reading.death;
  const started = startOf(view.state);
  return started !== undefined && at >= started && at - (end.finishedAt?.value ?? started) <= ONE_INCIDENT_MS;
}
