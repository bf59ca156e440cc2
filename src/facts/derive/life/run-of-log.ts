import type { LogReading } from '../../../model/log-reading.ts';
import { parseLogName } from '../../../model/snapshot.ts';
import { type DeathReading, deathTime, isEnd } from '../../pod/death.ts';
import { SOME_YEAR } from '../../scan/clean-line.ts';
import type { KernelReading } from '../../text/kernel.ts';
import { ANY_TIME, type Moment, momentsIn } from './moment.ts';

/** What Kubernetes and the kernel tell of the ends of a container. */
type Ends = { readonly death: DeathReading; readonly kernel: KernelReading | undefined };

/** The container run that wrote a log (0 the one in Last State, 1 the one in State), and when its lines were written. */
export type RunOfLog = { readonly instance: 0 | 1; readonly moment: (line: number) => Moment };

/**
 * Which run wrote a log, by its name. While the container waits for its restart the kubelet gives the log of the run that
 * ended under either name (kubernetes/kubernetes pkg/kubelet/kubelet_pods.go, validateContainerLogStatus); a `describe` cut
 * to its Last State tells of no other run.
 */
export function instanceOf(file: string, death: DeathReading): 0 | 1 {
  if (parseLogName(file)?.instance === 'previous') return 0;
  if (death.kind === 'none') return 1;
  const { state } = death.death.view;
  return state === undefined || state.kind === 'waiting' ? 0 : 1;
}

/** The run behind a log; lines without a time are dated by the life that Kubernetes tells of. */
export function runOfLog({ death, kernel }: Ends, run: LogReading): RunOfLog {
  const instance = instanceOf(run.file, death);
  const anchor = deathTime(death) ?? kernel?.victim?.at ?? run.lastAt ?? SOME_YEAR;
  return { instance, moment: momentsIn(run, lifeOf(death, instance), anchor) };
}

function lifeOf(death: DeathReading, instance: 0 | 1): Moment {
  const state = death.kind === 'none' ? undefined : death.death.view[instance === 0 ? 'lastState' : 'state'];
  if (state === undefined || state.kind === 'waiting') return ANY_TIME;
  const to = isEnd(state) ? state.finishedAt?.value : undefined;
  return { from: state.startedAt?.value ?? ANY_TIME.from, to: to ?? ANY_TIME.to };
}
