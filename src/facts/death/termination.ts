import type { Fact } from '../../model/fact.ts';
import { hasRole } from '../../model/signature-roles.ts';
import { OPEN } from '../../read/cluster/classify-death.ts';
import { ENDED_BY } from '../../read/cluster/ended-by.ts';
import { type EvictedFor, OWN_STORAGE } from '../../read/cluster/eviction.ts';
import { firstOf } from '../../read/cluster/gather.ts';
import { PROBE_ANSWERS } from '../../read/cluster/probe-kill.ts';
import { known, readingOf } from '../../read/reading.ts';
import { defineFacts } from '../evidence/define.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { linesOfTwoEnds } from '../evidence/plane.ts';
import { citeHit, isOfEngine } from '../evidence/weigh.ts';
import { factOf } from '../log/draft.ts';
import { EVENTS, STATUS } from '../log/needs.ts';

/** The end of a container instance. */
export const TERMINATION = defineFacts(
  {
    'death.reason': { unit: 'text', says: 'reason that Kubernetes gives for the end of the container', needs: STATUS },
    'death.exit-code': { unit: 'count', says: 'exit code', needs: STATUS },
    'death.container': { unit: 'text', says: 'container whose death is examined', needs: STATUS },
    'death.container-role': {
      unit: 'choice',
      values: ['engine', 'init', 'sidecar', 'helper'],
      says: 'role of that container: a sidecar runs next to an engine, a helper in a pod without one (router, head of a Ray cluster)',
      needs: STATUS,
    },
    'death.uptime': { unit: 'duration', says: 'how long the container that died had run', needs: STATUS },
    'death.at': { unit: 'time', says: 'when the container instance ended', needs: STATUS },
    'death.restarts': { unit: 'count', says: 'restarts of that container in this pod', needs: STATUS },
  },
  ({ death: reading, pod }) => {
    if (reading.kind === 'none') return { 'death.restarts': neverRestarted(pod) };
    const { death, isOpen } = reading;
    if (isOpen) return { 'death.reason': OPEN, 'death.exit-code': OPEN, 'death.container': OPEN };
    return {
      'death.reason': death.end.reason && readingOf(death.end.reason, ''),
      'death.exit-code': factOf(death.end.exitCode),
      'death.container': factOf(death.view.name),
      'death.container-role': death.view.name && known(death.role, death.view.name.from),
      'death.uptime': death.uptime,
      'death.at': death.at,
      'death.restarts': factOf(death.restarts),
    };
  },
);

// Nothing died: a container that runs for the first time.
function neverRestarted(pod: Evidence['pod']): Fact | undefined {
  const calm = firstOf(pod, (view) =>
    view.containers.find(({ restarts, state }) => restarts?.value === 0 && state?.kind === 'running'),
  );
  return factOf(calm?.restarts);
}

/** Who or what ended it. */
export const DEATH_CAUSE = defineFacts(
  {
    'death.oom-killed': {
      unit: 'yes-no',
      says: 'a container of the pod was OOMKilled',
      saysNot: 'no container of the pod was OOMKilled',
      needs: STATUS,
    },
    'death.killed-unexplained': {
      unit: 'yes-no',
      says: 'it ended by signal 9 (exit code 137), sender unknown',
      needs: STATUS,
    },
    'death.two-ends': {
      unit: 'yes-no',
      says: 'a process was OOM-killed and the engine failed on its own; which ended the instance is unknown',
      needs: `${STATUS}, and the log of the run that ended`,
    },
    'death.evicted-for': {
      unit: 'choice',
      values: ['memory', 'empty-dir', 'own-storage', 'storage', 'volume', 'pids', 'other', 'nothing'],
      says: 'what the pod was evicted for',
      needs: EVENTS,
    },
    'death.post-start-failed': {
      unit: 'yes-no',
      says: 'the kubelet ended the container because its postStart hook failed',
      needs: EVENTS,
    },
    'death.probe-answer': {
      unit: 'choice',
      values: [...PROBE_ANSWERS],
      says: 'answer to the failed probe',
      needs: EVENTS,
    },
    'death.ended-by': {
      unit: 'choice',
      values: [...ENDED_BY],
      says: 'who ended the whole pod from outside',
      needs: STATUS,
    },
  },
  (evidence) => {
    const { kubernetes } = evidence;
    const { postStartFailed } = kubernetes;
    const twoEnds = linesOfTwoEnds(evidence);
    return {
      'death.oom-killed': kubernetes.oomKilled,
      'death.killed-unexplained': killedUnexplained(evidence),
      'death.two-ends': twoEnds && known(true, ...twoEnds),
      'death.evicted-for': evictedFor(evidence),
      // Every other end would have to doubt it without events.
      'death.post-start-failed':
        postStartFailed.kind === 'known' && postStartFailed.value ? postStartFailed : undefined,
      'death.probe-answer': kubernetes.probeAnswer,
      'death.ended-by': kubernetes.endedBy,
    };
  },
);

// A step that hung: the watchdog of SGLang ends its scheduler, and the server then its whole tree of processes, itself
// included, by signal 9 (sgl-project/sglang python/sglang/srt/utils/watchdog.py, managers/tokenizer_manager.py).
function killedUnexplained({ kubernetes, weighing, log }: Evidence): Fact {
  const killed = kubernetes.probablyKilled;
  if (killed.kind !== 'known' || !killed.value) return killed;
  const own = weighing.all.findLast(
    (one) => hasRole(one.signature, 'hung') && isOfEngine(one) && one.file === log.main?.file,
  );
  return own === undefined ? killed : known(false, citeHit(own));
}

function evictedFor({ kubernetes: { evicted, evictedFor: resource }, weighing }: Evidence): Fact {
  if (evicted.kind === 'known') return evicted.value === 'no' ? known('nothing', ...evicted.from) : resource;
  // The message alone, without the phase or the event around it.
  const told = [...weighing.all, ...weighing.noted].find(({ signature }) => hasRole(signature, 'pressure'));
  return told === undefined ? resource : known(resourceIn(told.hit.clean), citeHit(told));
}

function resourceIn(message: string): EvictedFor {
  if (/\bpids\b|\[PID/.test(message)) return 'pids';
  if (OWN_STORAGE.test(message)) return 'own-storage';
  return /\[Network/.test(message) ? 'other' : 'storage';
}
