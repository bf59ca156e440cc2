import type { Cited } from '../../model/engine-reader.ts';
import { runsByName } from '../engine/program-names.ts';
import type { TextLine } from '../text/lines.ts';
import {
  type ContainerView,
  type DescribeReading,
  type EventView,
  NO_POD,
  type PodView,
  type StateView,
  terminated,
} from './container-states.ts';
import { keyLines, type Section, sectionsOf } from './describe-lines.ts';
import { endOfRow, rowPod, sortLoose } from './describe-loose.ts';
import { readSection, type SectionReading } from './describe-reader.ts';
import type { PodRow } from './describe-tables.ts';
import { asDescribed } from './inspect-lines.ts';
import { type Candidate, type Choice, chooseStatus, runsIn } from './status-owner.ts';

type Read = Section & { readonly reading: SectionReading };

/**
 * `kubectl describe` of one object or several and fragments of it, `kubectl get pods`, loose status lines. `own` is the name of
 * the pod where it is known. Never throws.
 */
export function readDescribe(text: string, own?: string): DescribeReading {
  const all = sectionsOf([...keyLines(text)].map(asDescribed)).map((one) => ({
    ...one,
    reading: readSection(one.lines),
  }));
  const loose = sortLoose(all.filter(({ kind }) => kind === 'loose').flatMap(looseLines));
  const sections = all.map((one) => withoutLines(one, new Set([...loose.others, ...loose.unsure])));
  const described = sections.filter(({ kind }) => kind === 'pod');
  const candidates = described.length > 0 ? described : sections.filter(({ kind }) => kind === 'workload');
  const choice = chooseStatus(candidates.map(candidateOf), own);
  const rest = candidates.filter((one) => !isAmong(choice, one));
  const pod = podOf(choice, sections);
  const rows = sections.flatMap(({ reading }) => reading.rows);
  const ofRows = chooseStatus(rows.map(candidateOfRow), own ?? pod.name?.value);
  const isTold = pod.containers.length > 0 || choice.kind === 'unsure';
  const unsure = unsureOf(choice).flatMap(unlisted);
  const passed = isTold || ofRows.kind !== 'unsure' ? [] : ofRows.among;
  return {
    pod: isTold ? pod : withRow(pod, ofRows),
    ...eventsOf(sections, candidates, choice),
    hasEvents: sections.some(({ reading }) => reading.hasEvents),
    others: new Set([
      ...loose.others,
      ...rest.flatMap(unlisted),
      ...rows.filter((row) => !isAmong(ofRows, row)).flatMap(lineOfRow),
    ]),
    unsure: new Set([...loose.unsure, ...unsure, ...passed.flatMap(lineOfRow)]),
  };
}

function looseLines(section: Read): readonly TextLine[] {
  const own = new Set(unlisted(section));
  return section.lines.map(({ line }) => line).filter(({ n }) => own.has(n));
}

function withoutLines(section: Read, numbers: ReadonlySet<number>): Read {
  const lines = section.lines.filter(({ line }) => !numbers.has(line.n));
  return lines.length === section.lines.length ? section : { ...section, lines, reading: readSection(lines) };
}

function isAmong<T>(choice: Choice<T>, one: T): boolean {
  if (choice.kind === 'one') return choice.own === one;
  return choice.kind !== 'none' && choice.among.includes(one);
}

function unsureOf<T>(choice: Choice<T>): readonly T[] {
  return choice.kind === 'unsure' ? choice.among : [];
}

// A row of a table names the pod that it is about, wherever it stands.
function unlisted({ lines, reading }: Read): number[] {
  const listed = new Set(
    reading.events.filter(({ object }) => object !== undefined).map(({ reason }) => lineOf(reason)),
  );
  const rows = new Set(reading.rows.flatMap(lineOfRow));
  return lines.map(({ line }) => line.n).filter((n) => !listed.has(n) && !rows.has(n));
}

function lineOf({ from }: Cited<unknown>): number | undefined {
  return from.kind === 'line' ? from.line : undefined;
}

function lineOfRow({ name }: PodRow): number[] {
  const line = lineOf(name);
  return line === undefined ? [] : [line];
}

function candidateOfRow(row: PodRow): Candidate<PodRow> {
  const name = row.name.value;
  return { name, runs: runsByName(name), end: endOfRow(row), how: row.status?.value ?? '', status: row };
}

function candidateOf(section: Read): Candidate<Read> {
  const { containers, name, reason } = section.reading.pod;
  const runs = runsIn(containers, section.name);
  const ends = containers.filter(({ kind }) => kind === 'container').map(endOf);
  const how = [reason?.value, ...ends.map((end) => end && [end.reason?.value, end.exitCode?.value])];
  const isOver = reason !== undefined || ends.some((end) => end !== undefined);
  const waits = containers.some(({ state }) => state?.kind === 'waiting') ? 1 : 0;
  return {
    name: name?.value,
    runs,
    end: isOver ? 2 : waits,
    how: JSON.stringify(how),
    status: section,
  };
}

function endOf({ state, lastState }: ContainerView) {
  return [state, lastState].find((one) => one?.kind === 'terminated');
}

// What stands outside of the descriptions is of the pod that is looked at.
function podOf(choice: Choice<Read>, sections: readonly Read[]): PodView {
  const loose = sections.filter(({ kind }) => kind === 'loose').flatMap(({ lines }) => lines);
  if (choice.kind === 'unsure') return NO_POD;
  const [chosen] = choice.kind === 'one' ? [choice.own] : choice.kind === 'alike' ? choice.among : [];
  const lines = [...loose, ...(chosen?.lines ?? [])].toSorted((a, b) => a.line.n - b.line.n);
  const { pod } = readSection(lines);
  return choice.kind === 'alike' ? withoutRun(pod) : pod;
}

// Of replicas that ended alike the times are those of one, and maybe not of this one.
function withoutRun(pod: PodView): PodView {
  const containers = pod.containers.map((one) => ({
    ...one,
    restarts: undefined,
    state: withoutTimes(one.state),
    lastState: withoutTimes(one.lastState),
  }));
  return { ...pod, name: undefined, node: undefined, createdAt: undefined, containers };
}

function withoutTimes(state: StateView | undefined): StateView | undefined {
  if (state?.kind === 'running') return { kind: 'running', startedAt: undefined };
  if (state?.kind !== 'terminated') return state;
  return terminated({ reason: state.reason, exitCode: state.exitCode, signal: state.signal });
}

function withRow(pod: PodView, choice: Choice<PodRow>): PodView {
  if (choice.kind === 'one') return rowPod(pod, choice.own);
  const [first] = choice.kind === 'alike' ? choice.among : [];
  return first === undefined ? pod : withoutRun(rowPod(pod, first));
}

function eventsOf(sections: readonly Read[], candidates: readonly Read[], choice: Choice<Read>) {
  const events: EventView[] = [];
  const othersEvents: EventView[] = [];
  for (const section of sections) {
    const isOthers = candidates.includes(section) && !(choice.kind === 'one' && isAmong(choice, section));
    for (const event of section.reading.events) {
      if (isOthers && event.object === undefined) othersEvents.push(event);
      else events.push(section.kind === 'node' ? ofNode(event, section.name) : event);
    }
  }
  return { events, othersEvents };
}

function ofNode(event: EventView, name: string | undefined): EventView {
  return event.object === undefined ? { ...event, object: { kind: 'node', name } } : event;
}
