import type { Plan } from '../../model/plan.ts';
import { gpusOf } from '../owners/pod-template.ts';
import type { Laid, Work } from './plan-context.ts';

/** Said where ready replicas would have to stop. */
export const TO_ZERO = 'To scale to zero anyway, add `--to-zero`; approving it takes the typed name.';

/** How long no replica is ready, by the last startup that was seen. */
export function sayOutage({ input, serving }: Work, { outage }: Laid): Plan['outage'] {
  if (outage === 'until-scaled-up') return { ms: null, says: 'Down until someone scales it up again.' };
  if (outage === 'none') {
    return serving.ready > 0
      ? { ms: 0, says: 'No downtime: at least one replica stays ready.' }
      : { ms: null, says: 'Nothing is stopped.' };
  }
  const { startupMs, startup = 'no startup was seen' } = input.known;
  if (startupMs === null) return { ms: null, says: `Startup time unknown: ${startup}.` };
  const source = input.known.startup === undefined ? '' : ` (${input.known.startup})`;
  return { ms: startupMs, says: `About ${sayTime(startupMs)} to start${source}.` };
}

function sayTime(ms: number): string {
  const seconds = Math.round(ms / 1000);
  return seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
}

/** The GPUs that the change needs or frees. */
export function saySupply({ input, owner, serving }: Work, { gpus, freed = serving.total }: Laid): string {
  const each = owner.containers.reduce(
    (sum, { value, role }) => sum + gpusOf(value) * (role === 'worker' ? owner.podsPerReplica - 1 : 1),
    0,
  );
  const { freeGpus, gpus: sentence } = input.known;
  const free =
    sentence ??
    (freeGpus === undefined || freeGpus === null
      ? 'Free GPUs unknown: nodes and pods were not read.'
      : `${freeGpus} more GPUs are free.`);
  const count = each > 0 ? `${each} GPU${each === 1 ? '' : 's'} per replica` : 'the GPUs of one replica';
  switch (gpus) {
    case 'freed': {
      const [become, they] = freed * each === 1 ? ['becomes', 'it'] : ['become', 'them'];
      const what = freed === 1 ? count : `${freed} x ${count}`;
      return `${what} ${become} free; another workload may take ${they} before the restart. ${free}`;
    }
    case 'in-place':
      return `No spare GPU needed: each new replica takes the GPUs of the one it replaces (${count}).`;
    case 'wanted':
      return `${count[0]?.toUpperCase()}${count.slice(1)} must be free, or the pod stays Pending. ${free}`;
    case 'kept':
      return 'GPU use does not change.';
  }
}

const LIMITS = /len|seqs|tokens|concurren|batch|parallel|requests|ctx/i;

/** What the change does to requests: refused, queued or cut. */
export function sayCost(work: Work, { edits, stopped, replaced = 0, outage }: Laid): string {
  const { known } = work.input;
  // One at a time or not: what is in flight in each that goes is cut.
  const going = replaced > 0 ? work.serving.ready : stopped;
  const cut = going === 0 ? '' : sayCut(known.inFlight ?? null, going, replaced > 0 ? 'replaced' : 'stopped');
  if (outage === 'until-scaled-up') return `All requests fail while it is at 0.${cut}`;
  const limits = edits.some(({ flag }) => LIMITS.test(flag));
  const missing = 'Impact on requests unknown: no prompt-length histogram.';
  const same =
    work.input.action === 'roll-back' ? 'Request limits return to their old values.' : 'No request limit changes.';
  return `${limits ? (known.requests ?? missing) : same}${cut}`;
}

function sayCut(inFlight: number | null, going: number, how: 'replaced' | 'stopped'): string {
  const whose = `the ${how} ${going === 1 ? 'replica' : 'replicas'}`;
  return inFlight === null
    ? ` Requests in flight on ${whose} are cut (count unknown).`
    : ` ${inFlight} requests are in flight; those on ${whose} are cut.`;
}
