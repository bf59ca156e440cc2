import type { Plan } from '../../model/plan.ts';
import { gpusOf } from '../owners/pod-template.ts';
import type { Laid, Work } from './plan-context.ts';

/** Said if ready replicas would have to stop. */
export const TO_ZERO = 'To scale to zero anyway, add `--to-zero`; approving it takes the typed name.';

/** How long it is down, by the last startup log. */
export function sayOutage({ input, serving }: Work, { outage }: Laid): Plan['outage'] {
  if (outage === 'until-scaled-up') return { ms: null, says: 'Down until somebody scales it up.' };
  if (outage === 'none') {
    const says = serving.ready > 0 ? 'None: at least one replica stays ready.' : 'Already down; nothing is stopped.';
    return { ms: serving.ready > 0 ? 0 : null, says };
  }
  const { startupMs, startup = 'no startup log' } = input.known;
  const until = serving.ready === 0 ? 'Already down.' : 'Down during startup.';
  if (startupMs === null) {
    return { ms: null, says: `${until} Startup time unknown: ${startup}.` };
  }
  return {
    ms: startupMs,
    says: `${until} Expect about ${sayTime(startupMs)} to start (${input.known.startup ?? 'last startup log'}).`,
  };
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
      ? 'Free GPUs unknown: nodes and their pods were not read.'
      : `${freeGpus} other GPUs are free.`);
  const count = each > 0 ? `${each} GPU${each === 1 ? '' : 's'} per replica` : 'the GPUs of a replica';
  switch (gpus) {
    case 'freed': {
      const become = freed * each === 1 ? 'becomes' : 'become';
      const what = freed === 1 ? count : `${freed} x ${count}`;
      return `${what} ${become} free; another workload may take ${freed * each === 1 ? 'it' : 'them'} meanwhile. ${free}`;
    }
    case 'in-place':
      return `No spare GPU needed: each replica reuses the GPUs of the one it replaces (${count}).`;
    case 'wanted':
      return `${count[0]?.toUpperCase()}${count.slice(1)} must be free, or the new pod stays pending. ${free}`;
    case 'kept':
      return 'No GPU is freed or needed.';
  }
}

const LIMITS = /len|seqs|tokens|concurren|batch|parallel|requests|ctx/i;

/** Impact on requests: refused, queued or cut. */
export function sayCost(work: Work, { edits, stopped, replaced = 0, outage }: Laid): string {
  const { known } = work.input;
  // One at a time or not: what is in flight in each that goes is cut.
  const going = replaced > 0 ? work.serving.ready : stopped;
  const cut = going === 0 ? '' : sayCut(known.inFlight ?? null, going, replaced > 0 ? 'replaced' : 'stopped');
  if (outage === 'until-scaled-up') return `All requests fail while it is at zero.${cut}`;
  const limits = edits.some(({ flag }) => LIMITS.test(flag));
  const missing = 'Impact on requests unknown: no prompt-length histogram.';
  return `${limits ? (known.requests ?? missing) : 'No request limit changes.'}${cut}`;
}

function sayCut(inFlight: number | null, going: number, how: 'replaced' | 'stopped'): string {
  const whose = going === 1 ? `the ${how} replica` : `the ${how} replicas`;
  return inFlight === null
    ? ` Requests in flight on ${whose} are cut; number unknown.`
    : ` ${inFlight} requests are in flight now; those on ${whose} are cut.`;
}
