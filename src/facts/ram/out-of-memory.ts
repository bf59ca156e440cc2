import type { Fact } from '../../model/fact.ts';
import { hasRole, type Role } from '../../model/signature-roles.ts';
import { containersOf } from '../../read/cluster/gather.ts';
import { known } from '../../read/reading.ts';
import { anyOf } from '../../read/text/patterns.ts';
import { defineFacts } from '../evidence/define.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { readOomLogged } from '../evidence/oom-logged.ts';
import { citeHit, listedFull, type Weighed } from '../evidence/weigh.ts';
import { fact } from '../log/draft.ts';
import { LOG } from '../log/needs.ts';
import { lastLine } from '../log/tail-lines.ts';

/** Lines that report that RAM, or /dev/shm in it, ran out. */
export const RAM_OOM = defineFacts(
  {
    'ram.oom-logged': {
      unit: 'choice',
      values: ['ran-out', 'refused', 'start-refused', 'no'],
      says: 'what a line proves of host memory',
      needs: LOG,
    },
    'ram.monitor-killed': { unit: 'yes-no', says: "Ray's memory monitor ended a worker, not the kernel", needs: LOG },
    'ram.hook-killed': { unit: 'yes-no', says: 'a hook was killed before the container started', needs: LOG },
    'ram.shm-full': { unit: 'yes-no', says: 'shared memory ran out of space', needs: LOG },
    'ram.shm-size': { unit: 'bytes', says: 'size of /dev/shm, by its volume', needs: 'pod.json' },
    'ram.shm-left-behind': {
      unit: 'yes-no',
      says: 'files of an engine remain in /dev/shm, as after a hard kill',
      needs: 'a listing of /dev/shm in the container',
    },
  },
  (evidence) => {
    const { shm } = evidence.spec;
    return {
      'ram.oom-logged': oomLogged(evidence),
      'ram.monitor-killed': isSeen(evidence, evidence.weighing.all, 'memory-monitor'),
      'ram.hook-killed': hookKilled(evidence),
      'ram.shm-full': shmFull(evidence),
      'ram.shm-size': shm?.sizeLimit === undefined ? undefined : known(shm.sizeLimit, shm.from),
      'ram.shm-left-behind': isSeen(evidence, linesOf(evidence), 'shm-left-behind'),
    };
  },
);

function oomLogged(evidence: Evidence): Fact | undefined {
  const { decisive, proofs } = evidence.weighing;
  const told = proofs.find(({ signature }) => signature.plane === 'host') ?? decisive;
  if (told !== undefined && hasRole(told.signature, 'allocation-refused')) return fact('refused', [citeHit(told)]);
  if (told !== undefined && hasRole(told.signature, 'start-refused')) return fact('start-refused', [citeHit(told)]);
  const logged = readOomLogged(evidence, 'host');
  return logged?.kind === 'known' ? { ...logged, value: logged.value === true ? 'ran-out' : 'no' } : logged;
}

function isSeen({ log }: Evidence, lines: readonly Weighed[], role: Role): Fact | undefined {
  const hits = lines.filter(({ signature }) => hasRole(signature, role));
  const last = lastLine(log.main);
  return hits.length > 0 ? fact(true, hits.map(citeHit)) : last && known(false, last);
}

function linesOf({ weighing }: Evidence): readonly Weighed[] {
  return [...weighing.all, ...weighing.noted];
}

const HOOK_KILLED = /\brunning hook: exit status 137\b/;

// What prepares a container (NVIDIA's hook), by the log or by the status of a container that never ran; known only where it is so.
function hookKilled(evidence: Evidence): Fact | undefined {
  const told = linesOf(evidence).find(({ signature }) => hasRole(signature, 'hook-killed'));
  const message = containersOf(evidence.pod)
    .flatMap(({ state, lastState }) => [state, lastState])
    .flatMap((state) => (state === undefined || state.kind === 'running' ? [] : (state.message ?? [])))
    .find(({ value }) => HOOK_KILLED.test(value));
  const from = told === undefined ? message?.from : citeHit(told);
  return from && known(true, from);
}

// ENOSPC, a page that cannot be backed, or the engine's own word for it (a region that is open fails to grow for lack of
// nothing else); permissions and names that exist are another matter.
const SPACE = anyOf(
  '',
  /No space left on device|EmptyDir volume "[^"]*" exceeds the limit|[Bb]us error|signal 7\b/,
  /failed to extend \/dev\/shm\/nccl-\S{1,40} to \d{1,20} bytes$|insufficient shared memory/,
  /out of shared memory|\d MiB required, \d{1,12} MiB\b|Failed to increase the shared memory pool size/,
);
const OTHER = /Permission denied|File exists|Operation not permitted|Function not implemented|Invalid argument/;

function shmFull({ weighing, kubernetes: { evictedFor } }: Evidence): Fact | undefined {
  if (evictedFor.kind === 'known' && evictedFor.value === 'empty-dir') return fact(true, evictedFor.from);
  const hits = weighing.all.filter(
    ({ signature }) => signature.causes[0] === 'host.shm' && signature.weight !== 'hint',
  );
  const full = hits.find(({ hit }) => SPACE.test(hit.text)) ?? listedFull(weighing);
  if (full !== undefined) return known(true, citeHit(full));
  const other = hits.find(({ hit }) => OTHER.test(hit.text));
  return other && known(false, citeHit(other));
}
