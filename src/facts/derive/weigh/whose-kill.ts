import type { Program } from '../../arguments/program-words.ts';
import { isOtherProgram, isProgramOfEngine, isSystemService, isTheSame } from '../../names/programs.ts';
import { type DeathReading, isEnd } from '../../pod/death.ts';
import { firstOf, type PodEvidence } from '../../pod/gather.ts';
import type { KernelKill, Whose } from '../../text/kernel.ts';
import { isOfOtherZone } from '../../text/when.ts';
import { ONE_INCIDENT_MS } from '../life/moment.ts';

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
  const id = idOf(looked.death);
  const uid = firstOf(looked.pod, (view) => view.uid)?.toLowerCase();
  return (kill) => {
    const group = kill.taskMemcg ?? (isGroup(kill.about) ? kill.about : undefined) ?? '';
    // A container's id is that of one run: the time needs no look.
    if (id !== undefined && group.includes(id)) return 'own';
    const pod = podOf(group);
    if (pod !== undefined && uid !== undefined && pod !== uid) return 'other';
    const named = byName(kill, own, looked.pod.views.length > 0);
    return worse(pod !== undefined && pod === uid ? inPod(named) : named, byTime(kill.at, looked.death));
  };
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

// `kubepods-burstable-pod1a2b3c4d_....slice` of systemd, `pod1a2b3c4d-...` of cgroupfs. Static pods have a hash instead.
const POD = /pod([0-9a-f]{8}(?:[-_][0-9a-f]{4}){3}[-_][0-9a-f]{12})/i;

function podOf(group: string): string | undefined {
  return POD.exec(group)?.[1]?.replaceAll('_', '-').toLowerCase();
}

function idOf(death: DeathReading): string | undefined {
  if (death.kind === 'none') return undefined;
  const bare = death.death.end.containerID?.value.replace(/^[a-z-]+:\/\//, '');
  return bare !== undefined && bare.length >= 12 ? bare : undefined;
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
