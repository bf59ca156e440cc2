import type { LineCitation } from '../../../model/citation.ts';
import type { Evidence } from '../evidence.ts';
import { remarks } from '../weigh/tail-lines.ts';
import { withoutDenials } from './denials.ts';

const OF_A_RUN = /\.log$|^(?:kernel|metrics|describe|nvidia-smi)\.txt$/;

// That there is no log to fetch: of the engine it tells nothing (kubernetes pkg/kubelet/kubelet_pods.go and kuberuntime, kubectl,
// moby daemon).
const NO_LOG =
  /\bprevious terminated container "?[\w.-]{1,253}"? in pod |\bunable to retrieve container logs\b|\bError from server \(NotFound\): pods\b|\bNo such container: /;

// Ray gives the same list of what may have ended a worker each time (ray-project/ray python/ray/exceptions.py, ActorDiedError).
const RAYS_LIST = /[^.;:\n]{0,60}\bSIGKILL\b(?=[^\n]{0,160}\b(?:SIGSEGV|ray stop)\b)[^\n]*/;

/** What people wrote between the lines of a run's files, without the sign that makes it a remark. */
export function remarkLines({ readings }: Pick<Evidence, 'readings'>): readonly { text: string; from: LineCitation }[] {
  return readings.logs
    .filter(({ file }) => OF_A_RUN.test(file))
    .flatMap(remarks)
    .filter(({ text }) => !NO_LOG.test(text))
    .map((from) => ({ text: withoutDenials(from.text.replace(/^#+\s*/, '').replace(RAYS_LIST, '')), from }));
}
