import type { Cited } from '../../model/engine-reader.ts';
import { cited, type TextLine } from '../text/lines.ts';
import { parseAge } from '../text/when.ts';
import type { EventView } from './container-states.ts';

const FILE = 'describe.txt';

/** A line of `kubectl get pods`. */
export type PodRow = {
  readonly name: Cited<string>;
  readonly status: Cited<string> | undefined;
  readonly restarts: Cited<number> | undefined;
  readonly ageSec: number | undefined;
};

// A Deployment's row also begins with `0/1`, but has a number where a pod has its status.
const ROW = /^(?:\S+\s+)?(\S+)\s+\d+\/\d+\s+([A-Za-z]\S*)\s+(\d+)(?:\s+\(\S+ ago\))?\s+(\S+)/;

/** A row of `kubectl get pods`, with or without a namespace column. */
export function podRow(line: TextLine): PodRow | undefined {
  const match = ROW.exec(line.text.trim());
  if (match === null) return undefined;
  const [, name = '', status = '', restarts = '', age = ''] = match;
  const ageSec = parseAge(age);
  if (ageSec === undefined && !age.startsWith('<')) return undefined;
  return {
    name: cited(name.replace(/^pods?\//, ''), FILE, line),
    status: cited(status, FILE, line),
    restarts: cited(Number(restarts), FILE, line),
    ageSec,
  };
}

const AGE = String.raw`<unknown>|<invalid>|(?:\d{1,6}[ywdhms])+`;
// Age (with `(x3 over 61s)`) may be missing in what people paste.
const DESCRIBED = new RegExp(
  String.raw`^(Normal|Warning)\s+([A-Z]\w+)\s+(?:(${AGE})(?:\s\(x(\d+) over (${AGE})\))?(?:\s+|$))?(.*)$`,
);
// `kubectl get events`: LAST SEEN, TYPE, REASON, OBJECT, MESSAGE; a namespace column may stand in front. `kubectl events` has
// `(x3 over 5m)` behind the age (kubectl pkg/cmd/events/event_printer.go).
const LISTED = new RegExp(
  String.raw`^(?:\S+\s+)?(${AGE})(?:\s\(x\d+ over (?:${AGE})\))?\s+(Normal|Warning)\s+([A-Z]\w+)\s+(\w+)/(\S+)\s+(.*)$`,
);

/** A row of an events table, as `kubectl describe` or `kubectl get events` prints it. */
export function eventRow(line: TextLine): EventView | undefined {
  const text = line.text.trim();
  return described(text, line) ?? listed(text, line);
}

function described(text: string, line: TextLine): EventView | undefined {
  const match = DESCRIBED.exec(text);
  if (match === null) return undefined;
  const [, type, reason = '', age, times, , rest = ''] = match;
  return {
    type,
    reason: cited(reason, FILE, line),
    message: cited(messageOf(rest), FILE, line),
    object: undefined,
    container: containerOf(rest),
    count: Number(times ?? 1),
    firstAt: undefined,
    lastAt: undefined,
    agoSec: age === undefined ? undefined : parseAge(age),
  };
}

// The column From ends where two blanks or more begin; in a squeezed paste it is one word that names a component.
function messageOf(rest: string): string {
  const [from = '', ...message] = rest.split(/\s{2,}/);
  if (message.length > 0) return message.join('  ');
  return from.replace(
    /^(?:kubelet|default-scheduler|[a-z][a-z0-9-]*-(?:scheduler|controller|autoscaler))(?:, \S+)?\s+/,
    '',
  );
}

function listed(text: string, line: TextLine): EventView | undefined {
  const match = LISTED.exec(text);
  if (match === null) return undefined;
  const [, age = '', type, reason = '', kind, name, message = ''] = match;
  return {
    type,
    reason: cited(reason, FILE, line),
    message: cited(message, FILE, line),
    object: { kind: kind === 'po' ? 'pod' : kind, name },
    container: containerOf(message),
    count: 1,
    firstAt: undefined,
    lastAt: undefined,
    agoSec: parseAge(age),
  };
}

// kubernetes/kubernetes pkg/kubelet/kuberuntime/kuberuntime_manager.go, computePodActions; kuberuntime_container.go, killContainer.
const KILLING = /\bContainer (\S+) (?:failed (?:liveness|startup) probe|definition changed)|\bStopping container (\S+)/;

function containerOf(message: string): string | undefined {
  const [, killed, stopped] = KILLING.exec(message) ?? [];
  return killed ?? stopped;
}
