import type { Plan } from '../../model/plan.ts';
import { gpusOf } from '../owners/pod-template.ts';
import type { Laid, Work } from './plan-context.ts';

/** Said where what serves would have to stop. */
export const TO_ZERO = 'To go to zero all the same, ask with `--to-zero`; its approval then takes the typed name.';

/** How long nothing serves, by the last start that was seen. */
export function sayOutage({ input, serving }: Work, { outage }: Laid): Plan['outage'] {
  if (outage === 'until-scaled-up') return { ms: null, says: 'Nothing serves until somebody scales up again.' };
  if (outage === 'none') {
    const says =
      serving.ready > 0
        ? 'None: at least one replica serves all the time.'
        : 'Nothing serves now, and nothing is stopped.';
    return { ms: serving.ready > 0 ? 0 : null, says };
  }
  const { startupMs, startup = 'no start was seen' } = input.known;
  const until = serving.ready === 0 ? 'Nothing serves now, and nothing will until' : 'Nothing serves until';
  if (startupMs === null) {
    return { ms: null, says: `${until} the engine has started; how long that takes is not known: ${startup}.` };
  }
  return {
    ms: startupMs,
    says: `${until} the engine has started: the last start that was seen took ${sayTime(startupMs)}${input.known.startup === undefined ? '' : ` (${input.known.startup})`}.`,
  };
}

function sayTime(ms: number): string {
  const seconds = Math.round(ms / 1000);
  return seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
}

/** What the change needs of GPUs, and who may take one that becomes free. */
export function saySupply({ input, owner, serving }: Work, { gpus, freed = serving.total }: Laid): string {
  const each = owner.containers.reduce(
    (sum, { value, role }) => sum + gpusOf(value) * (role === 'worker' ? owner.podsPerReplica - 1 : 1),
    0,
  );
  const { freeGpus, gpus: sentence } = input.known;
  const free =
    sentence ??
    (freeGpus === undefined || freeGpus === null
      ? 'Whether a GPU is free is not known: nodes and their pods were not read.'
      : `${freeGpus} GPUs are free beside these.`);
  const count = each > 0 ? `${each} GPU${each === 1 ? '' : 's'} a replica` : 'the GPUs of a replica';
  switch (gpus) {
    case 'freed': {
      const [become, they] = freed * each === 1 ? ['becomes', 'it is'] : ['become', 'they are'];
      const what = freed === 1 ? count : `${freed} x ${count}`;
      return `${what} ${become} free, and another workload may take what is free before ${they} asked for again. ${free}`;
    }
    case 'in-place':
      return `No spare GPU is needed: each replica takes those of the one it replaces (${count}).`;
    case 'wanted':
      return `${count[0]?.toUpperCase()}${count.slice(1)} must be free, or it waits. ${free}`;
    case 'kept':
      return 'No GPU changes hands.';
  }
}

const LIMITS = /len|seqs|tokens|concurren|batch|parallel|requests|ctx/i;

/** What the change costs those who ask: requests refused, queued or cut. */
export function sayCost(work: Work, { edits, stopped, replaced = 0, outage }: Laid): string {
  const { known } = work.input;
  // One at a time or not: what is in flight in each that goes is cut.
  const going = replaced > 0 ? work.serving.ready : stopped;
  const cut = going === 0 ? '' : sayCut(known.inFlight ?? null, going, replaced > 0 ? 'replaced' : 'stopped');
  if (outage === 'until-scaled-up') return `All requests are refused while it is at zero.${cut}`;
  const limits = edits.some(({ flag }) => LIMITS.test(flag));
  const missing =
    'Which share of the requests the new limits would refuse or queue is not known: no histogram of lengths was read.';
  return `${limits ? (known.requests ?? missing) : 'No limit of requests changes.'}${cut}`;
}

function sayCut(inFlight: number | null, going: number, how: 'replaced' | 'stopped'): string {
  const whose = going === 1 ? `the replica that is ${how}` : `the replicas that are ${how}`;
  return inFlight === null
    ? ` Requests in flight in ${whose} are cut; how many is not known.`
    : ` ${inFlight} requests are in flight now; those in ${whose} are cut.`;
}
