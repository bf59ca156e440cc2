import type { Facts } from '../../model/fact.ts';
import type { Plane } from '../../model/taxonomy.ts';
import type { Diagnosis } from '../../model/verdict.ts';
import { knownNumber, knownValue } from './report-input.ts';
import { clip } from './sentence.ts';

const OTHERS: Readonly<Record<string, (name: string) => string>> = {
  init: (name) => `Init container ${name} ended before the engine started.`,
  sidecar: (name) => `Container ${name} ended, the engine did not.`,
  helper: (name) => `Container ${name} ended. No known engine in this pod.`,
};

// The kernel marks the container whose process it killed; how the container ended its exit code tells (containerd,
// internal/cri/server/events.go).
function lived(facts: Facts): string | undefined {
  const code = knownNumber(facts, 'death.exit-code');
  if (knownValue(facts, 'death.oom-killed') !== true || code === undefined || code === BY_SIGNAL_9) return undefined;
  return `The kernel OOM killer killed a process in the container; the container exited with code ${code}.`;
}

const BY_SIGNAL_9 = 137;
const OF_MEMORY = new Set<Plane>(['host', 'gpu', 'both']);

/** What is said before the cause of a kill that nobody signed; undefined for any other end, or where the finding says so. */
export function unexplainedKill(
  { says, verdict }: Pick<Diagnosis, 'says' | 'verdict'>,
  facts: Facts,
): string | undefined {
  const isOpen = !verdict.certain && OF_MEMORY.has(verdict.plane) && !says.includes('signal 9');
  return isOpen && knownValue(facts, 'death.killed-unexplained') === true
    ? 'It was killed by signal 9, sender unknown.'
    : undefined;
}

const OF_KILL = /^(?:death\.|failure\.age$|ram\.limit$)/;

/** Whether such a kill, when it came and the limit are all that is known: RAM is then no more than the likeliest. */
export function isBareKill(diagnosis: Pick<Diagnosis, 'says' | 'verdict'>, facts: Facts): boolean {
  const { plane, evidence } = diagnosis.verdict;
  if (plane !== 'host' || unexplainedKill(diagnosis, facts) === undefined) return false;
  return evidence.every(({ fact }) => OF_KILL.test(fact));
}

/** The text of a finding, after the container that ended, unless the finding names it. */
export function saysWhose({ says, verdict }: Pick<Diagnosis, 'says' | 'verdict'>, facts: Facts): string {
  const name = knownValue(facts, 'death.container');
  const tell = OTHERS[String(knownValue(facts, 'death.container-role'))];
  const whose =
    tell === undefined || name === undefined || says.includes(String(name)) ? undefined : tell(clip(String(name), 63));
  return [whose, verdict.plane === 'host' ? lived(facts) : undefined, says]
    .filter((one) => one !== undefined)
    .join(' ');
}
