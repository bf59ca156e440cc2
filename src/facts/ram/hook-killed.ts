import type { Fact } from '../../model/fact.ts';
import { containersOf } from '../../read/cluster/gather.ts';
import { fact } from '../draft.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { citeHit } from '../evidence/weigh.ts';

const KILLED = /\brunning hook: exit status 137\b/;

/** That what prepares a container (NVIDIA's hook) was killed, by the log or by the status of a container that never ran; known only where it is so. */
export function readHookKilled({ weighing, pod }: Evidence): Fact | undefined {
  const told = [...weighing.all, ...weighing.noted].find(({ phrase }) => phrase.id === 'runtime.hook-killed');
  const message = containersOf(pod)
    .flatMap(({ state, lastState }) => [state, lastState])
    .flatMap((state) => (state === undefined || state.kind === 'running' ? [] : (state.message ?? [])))
    .find(({ value }) => KILLED.test(value));
  const from = told === undefined ? message?.from : citeHit(told);
  return from && fact(true, [from]);
}
