import type { Cited } from '../../model/engine-reader.ts';
import { isHelperName, isProgramOfEngine, runsByName } from '../engine/program-names.ts';
import type { Sorted, TextLine } from '../text/lines.ts';
import { type ContainerView, NO_CONTAINER, type PodView, type StateView, terminated } from './container-states.ts';
import type { PodRow } from './describe-tables.ts';

const _FILE = 'describe.txt';

const ENDED = new Set([
  'OOMKilled',
  'Error',
  'Completed',
  'ContainerCannotRun',
  'StartError',
  'ContainerStatusUnknown',
]);
const POD_REASONS = new Set([
  'Evicted',
  'UnexpectedAdmissionError',
  'NodeLost',
  'Preempting',
  'OutOfmemory',
  'OutOfcpu',
]);

/** A pod of which only its row in `kubectl get pods` is known. */
export function rowPod(pod: PodView, row: PodRow): PodView {
  const { status } = row;
  if (status === undefined) return pod;
  const isInit = status.value.startsWith('Init:');
  const word = status.value.replace(/^Init:/, '');
  const state = stateOf(word, status);
  const container: ContainerView = {
    ...NO_CONTAINER,
    kind: isInit ? 'init' : 'container',
    restarts: row.restarts,
    state,
  };
  return {
    ...pod,
    name: pod.name ?? row.name,
    ...(row.ageSec !== undefined && { age: { value: row.ageSec, from: status.from } }),
    phase: word === 'Pending' ? status : pod.phase,
    reason: POD_REASONS.has(word) || word.startsWith('OutOf') ? { value: word, from: status.from } : pod.reason,
    containers: [container],
  };
}

function stateOf(word: string, status: Cited<string>): StateView | undefined {
  const reason = { value: word, from: status.from };
  if (ENDED.has(word)) return terminated({ reason });
  if (word === 'Running') return { kind: 'running', startedAt: undefined };
  return /^[A-Z]\w*(?:BackOff|Error|Creating|Initializing|Config\w*)$/.test(word)
    ? { kind: 'waiting', reason, message: undefined }
    : undefined;
}

/** How much a row says about an end: 2 where its pod ended or a container of it did, 1 where it waits, 0 where it is well. */
export function endOfRow({ status, restarts }: PodRow): 0 | 1 | 2 {
  const word = status?.value ?? '';
  const ended = ENDED.has(word.replace(/^Init:/, '')) && word !== 'Completed';
  if (ended || POD_REASONS.has(word) || /CrashLoopBackOff/.test(word) || (restarts?.value ?? 0) > 0) return 2;
  return word === 'Running' || word === 'Completed' ? 0 : 1;
}

const TELLS_AN_END = /\bOOM[ -]?Killed\b|\bexit(?:ed|s|[ _]?code)?\b[^\n]{0,40}\d|\b(?:State|Error|Completed)\b/i;

/**
 * Loose lines of an end that name whose it is: rows of any table, `docker inspect`. A line that names nobody is of what is
 * looked at.
 */
export function sortLoose(lines: readonly TextLine[]): Sorted {
  const block = blocksOf(lines);
  const ends = lines.filter(({ text }) => TELLS_AN_END.test(text));
  const blocks = new Set(ends.map(({ n }) => block.get(n)));
  const told = [
    ...ends.filter(({ n }) => !block.has(n)).map((line) => ({ n: line.n, whose: subjectOf(line) })),
    ...[...blocks].flatMap((own = []) => {
      const whose = subjectOfBlock(own);
      return own.map(({ n }) => ({ n, whose }));
    }),
  ];
  const hasOwn = told.some(({ whose }) => whose === 'engine');
  const numbers = (wanted: (whose: Subject) => boolean) =>
    new Set(told.flatMap(({ n, whose }) => (wanted(whose) ? [n] : [])));
  return {
    others: numbers((whose) => whose === 'other'),
    unsure: numbers((whose) => whose === 'beside-other' || (whose === 'named' && hasOwn)),
  };
}

type Subject = 'engine' | 'other' | 'beside-other' | 'named' | 'nobody';

function subjectOf({ text }: TextLine): Subject {
  const words = wordsIn(text);
  const [first = ''] = words;
  const isEngines = words.some((word) => runsByName(word) === 'engine' || isProgramOfEngine(word));
  if (isOther(first) && !isEngines) return 'other';
  if (words.some(isOther)) return 'beside-other';
  if (isEngines) return 'engine';
  return /[-_\d]/.test(first) || /^\W*\S+\s+OOMKilled[=:]/.test(text) ? 'named' : 'nobody';
}

// Words of a line about an end that are names of programs as well.
const NO_SUBJECT =
  /^(?:code|kube\w*|agent|systemd.*|metrics|collector|controller|operator|scheduler|gateway|proxy|router|logger|sidecar|exporter)$/i;

function isOther(word: string): boolean {
  return isHelperName(word) && !NO_SUBJECT.test(word);
}

function wordsIn(text: string): readonly string[] {
  return text.split(/[^\w.-]+/).filter((word) => word !== '');
}

// `"Name": "/redis"`, `"Image": "redis:7"` of `docker inspect`; `"image": { "image": ...` of `crictl inspect`.
const NAMED = /"(?:name|names|image)":\s*"([^"]{1,300})"/i;

const STATUSES = /"containerStatuses":/;

function subjectOfBlock(block: readonly TextLine[]): Subject {
  const names = block.flatMap(({ text }) => NAMED.exec(text)?.[1]?.split(/[/:@]/) ?? []).filter((word) => word !== '');
  // The JSON of a pod has all its containers in one object.
  const hasSeveral = names.some(isOther) && block.some(({ text }) => STATUSES.test(text));
  if (hasSeveral) return names.every(isOther) ? 'other' : 'beside-other';
  if (names.some((word) => runsByName(word) === 'engine' || isProgramOfEngine(word))) return 'engine';
  if (names.some(isOther)) return 'other';
  return names.length > 0 ? 'named' : 'nobody';
}

/** Each line of a JSON object of many lines with the whole of the outermost one. */
function blocksOf(lines: readonly TextLine[]): ReadonlyMap<number, readonly TextLine[]> {
  const found = new Map<number, readonly TextLine[]>();
  let depth = 0;
  let open: TextLine[] = [];
  for (const line of lines) {
    if (depth === 0) open = [];
    depth = Math.max(0, depth + count(line.text, '{') - count(line.text, '}'));
    open.push(line);
    if (depth > 0 || open.length > 1) found.set(line.n, open);
  }
  return found;
}

function count(text: string, sign: string): number {
  return text.split(sign).length - 1;
}
