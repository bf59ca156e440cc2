import type { LogRead, NotRead } from '../../model/snapshot.ts';
import { withoutCutStart } from '../../snapshot/cut-message.ts';
import type { KubeFailure } from '../api/failure.ts';
import { type Assembled, assemble, type Ending, type LogParts } from './assemble.ts';
import type { LogPlan } from './plan-logs.ts';

type Said = {
  readonly read: { readonly text: string; readonly log: LogRead } | undefined;
  readonly notRead: readonly NotRead[];
};
type Failures = { readonly failures: readonly KubeFailure[]; readonly deepFailure: KubeFailure | undefined };

/** The file of a log with what was left out of it, or why there is none. */
export function sayLog(plan: LogPlan, parts: LogParts, { failures, deepFailure }: Failures): Said {
  const assembled = assemble(parts);
  const { text, failed } = splitFailure(assembled.text);
  if (text.trim() === '') return withoutLog(plan, { failed, hasLongLines: bytesOf(parts) > LONG }, failures);
  const cut = [
    ...cutsOf(parts, assembled),
    ...(failed ? ['the kubelet failed while it was read'] : []),
    ...rotated(plan, text, parts),
  ];
  const log: LogRead = {
    file: plan.file,
    container: plan.container,
    previous: plan.previous,
    readBytes: bytesOf(parts),
    keptBytes: Buffer.byteLength(text),
    totalBytes: assembled.totalBytes,
    parts: assembled.parts,
    cut: cut.length === 0 ? null : cut.join('; '),
  };
  return {
    read: { text, log },
    notRead: [...partsNotRead(plan, failures, deepFailure, parts), ...ofAnother(plan, text)],
  };
}

function bytesOf({ head, windows, deep }: LogParts): number {
  const ends = windows.reduce((sum, { kept }) => sum + kept.bytes, head?.bytes.byteLength ?? 0);
  return ends + (deep?.kept.bytes ?? 0);
}

function cutsOf({ head, windows, deep }: LogParts, { missing }: Assembled): string[] {
  const last = windows.at(-1);
  return [
    ...(missing === 0 ? [] : [`${missing === null ? 'bytes' : `${missing} bytes`} in the middle were not kept`]),
    ...(deep === undefined || deep.ending === 'end' ? [] : [deepCut(deep.ending)]),
    ...(last === undefined && head?.ending !== 'end' ? ['only its start was read'] : []),
    ...(last === undefined || last.ending === 'end' ? [] : [`its end ${ENDINGS[last.ending]}`]),
    ...(head?.ending === 'dropped' ? ['its start was cut off'] : []),
  ];
}

const ENDINGS: Readonly<Record<Ending, string>> = {
  end: 'was read',
  cap: 'is too long to read to the end',
  budget: 'was not reached: byte limit',
  dropped: 'was cut off',
  deadline: 'was not reached in time',
};

function deepCut(ending: Ending): string {
  return ending === 'cap'
    ? 'the search through the middle ended early'
    : `the search through the middle ${ENDINGS[ending]}`;
}

// Of a long-lived container the API shows the newest file only.
const START_SLACK_MS = 60_000;

/** How long after the start of its container a log begins, in ms, where its beginning was rotated away. */
export function rotatedAway({ startedAt }: LogPlan, text: string): number | undefined {
  const { first } = stampsOf(text);
  if (startedAt === undefined || first === undefined) return undefined;
  return first - startedAt > START_SLACK_MS ? first - startedAt : undefined;
}

function rotated(plan: LogPlan, text: string, { head }: LogParts): string[] {
  const late = head === undefined ? undefined : rotatedAway(plan, text);
  if (late === undefined) return [];
  return [`it starts ${Math.round(late / 60_000)} min after the container: earlier lines were rotated away`];
}

// Node and kubelet share a clock, so a few seconds are enough.
const END_SLACK_MS = 5000;

function ofAnother({ file, endedAt }: LogPlan, text: string): NotRead[] {
  const { first } = stampsOf(text);
  if (endedAt === undefined || first === undefined || first <= endedAt + END_SLACK_MS) return [];
  const detail = 'these lines are from a later container, not from the one that died';
  return [{ item: `log of the container that died (${file})`, reason: 'gone', detail }];
}

function partsNotRead(
  { file }: LogPlan,
  failures: readonly KubeFailure[],
  deepFailure: KubeFailure | undefined,
  { head, windows }: LogParts,
): NotRead[] {
  const crash = windows.at(-1);
  const item = head === undefined ? `beginning of ${file}` : `end of ${file}`;
  const lost = crash === undefined || head === undefined ? failures.map((failure) => notRead(item, failure)) : [];
  const broken: NotRead[] =
    crash?.ending === 'dropped' || head?.ending === 'dropped'
      ? [{ item: `rest of ${file}`, reason: 'unreachable', detail: 'the stream was cut off; what came is kept' }]
      : [];
  return [...lost, ...broken, ...(deepFailure === undefined ? [] : [notRead(`middle of ${file}`, deepFailure)])];
}

type Nothing = { readonly failed: boolean; readonly hasLongLines: boolean };

function withoutLog(plan: LogPlan, nothing: Nothing, failures: readonly KubeFailure[]): Said {
  const why = failures[0] === undefined ? whyEmpty(plan, nothing) : logNotRead(plan, failures[0]);
  const message = withoutCutStart(plan.message ?? '');
  if (message.trim() === '') return { read: undefined, notRead: [why] };
  const text = `# no log; this is the termination message\n${message.replace(/\n?$/, '\n')}`;
  const log: LogRead = {
    file: plan.file,
    container: plan.container,
    previous: plan.previous,
    readBytes: 0,
    keptBytes: Buffer.byteLength(text),
    totalBytes: null,
    parts: ['message'],
    cut: 'only the termination message was left',
  };
  return { read: { text, log }, notRead: [why] };
}

// More bytes than this without a whole line to keep are one line.
const LONG = 65_536;

function whyEmpty({ file }: LogPlan, { failed, hasLongLines }: Nothing): NotRead {
  if (failed) return { item: file, reason: 'gone', detail: GONE };
  if (!hasLongLines) return { item: file, reason: 'empty', detail: 'the container wrote nothing' };
  return {
    item: file,
    reason: 'budget',
    detail: 'its lines are too long, and a cut line may contain a prompt',
  };
}

const GONE = 'the node no longer has this log';

// The kubelet answers 400 for an instance of which it has no log, and tells why in words only.
function logNotRead(plan: LogPlan, failure: KubeFailure): NotRead {
  const { status } = failure;
  if (status === 404) return { item: plan.file, reason: 'gone', detail: 'the pod and its logs are gone' };
  if (status === 400) return { item: plan.file, reason: 'gone', detail: GONE };
  return notRead(plan.file, failure);
}

function notRead(item: string, { reason, detail }: KubeFailure): NotRead {
  return { item, reason, detail };
}

const STAMP = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})) ?/;

/** The time (epoch ms) that the kubelet put before a line; undefined where it put none. */
export function stampOf(line: string): number | undefined {
  const at = Date.parse(STAMP.exec(line)?.[1] ?? '');
  return Number.isNaN(at) ? undefined : at;
}

/** The times of the first and last lines that bear one. */
export function stampsOf(text: string): { readonly first: number | undefined; readonly last: number | undefined } {
  const head = text.slice(0, 65_536).split('\n');
  const tail = text.slice(-65_536).split('\n').reverse();
  const pick = (lines: readonly string[]) => lines.map(stampOf).find((at) => at !== undefined);
  return { first: pick(head), last: pick(tail) };
}

// The kubelet may fail after it has answered 200; it then writes this where the log should go on.
const FAILURES = ['failed to try resolving symlinks in path', 'unable to retrieve container logs for'];

/** Parts a log from the words of a kubelet that failed on the way. Lines of the log itself bear a time, those words do not. */
export function splitFailure(text: string): { readonly text: string; readonly failed: boolean } {
  const start = text.lastIndexOf('\n', text.length - 2) + 1;
  const last = text.slice(start);
  const failed = last.length < 2000 && stampOf(last) === undefined && FAILURES.some((words) => last.startsWith(words));
  return { text: failed ? text.slice(0, start) : text, failed };
}
