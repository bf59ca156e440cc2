import type { Recurrence, ShiftHandover } from '../model/handover.ts';
import { bold, type Choice, code, type Mark, type Message, type Span } from '../model/message.ts';
import type { Run } from '../model/plan.ts';
import type { Severity } from '../model/severity.ts';
import { stateWords } from './incident-state.ts';
import { silencedList } from './silences.ts';
import { changeLine } from './temporary-change.ts';
import { subjectOf } from './words/plan-words.ts';
import { clip, counted, flatten, note, paragraph, say, shortList, type Words } from './words/sentence.ts';
import { headlineOf } from './words/verdict-words.ts';

const time = (at: number): Span => ({ kind: 'time', at });

/** For the next shift: open incidents by severity, temporary changes by expiry, what came back, what to watch, what is silenced. */
export function shiftMessage(shift: ShiftHandover, command: string): Message {
  const { at, open, moreOpen, changes, again, silences } = shift;
  const watch = watchLines(shift);
  const rest = moreOpen > 0 ? [[`${moreOpen} more in `, code(`${command} status`)]] : [];
  const blocks = [
    ...shortList(
      'Open, most severe first',
      open.map((one) => openLine(one, command)),
      rest,
    ),
    ...shortList(
      'Temporary changes by expiry',
      changes.map((change) => changeLine(change, at)),
    ),
    ...shortList('Again', again.map(againLine)),
    ...shortList('Watch', watch),
    ...silencedList(silences),
  ];
  return flatten({
    ...say(markOf(shift), `Shift handover: ${countsOf(shift)}`, [
      ...(blocks.length === 0 ? [paragraph('Nothing is open and no temporary change is applied.')] : blocks),
      note('Read ', time(at), ' · one incident: ', code(`${command} handover <incident>`)),
    ]),
    choices: choicesOf(shift),
    dense: true,
  });
}

function countsOf({ open, moreOpen, changes, at }: ShiftHandover): string {
  const count = open.length + moreOpen;
  const critical = open.filter(({ replicas }) => replicas.kind === 'read' && replicas.value.severity === 'critical');
  const expired = changes.filter(({ expiresAt }) => expiresAt <= at).length;
  const severe = critical.length === 0 ? '' : ` (${critical.length} critical)`;
  const late = expired === 0 ? '' : ` (${expired} expired)`;
  const held = counted(changes.length, 'temporary change');
  return `${count === 0 ? 'nothing open' : `${count} open${severe}`}, ${changes.length === 0 ? 'no temporary changes' : `${held}${late}`}`;
}

function markOf({ open, changes, at }: ShiftHandover): Mark {
  if (open.some(({ replicas }) => replicas.kind === 'read' && replicas.value.severity === 'critical')) return 'bad';
  return open.length > 0 || changes.some(({ expiresAt }) => expiresAt <= at) ? 'warn' : 'ok';
}

const MARKS: Readonly<Record<Severity, string>> = { critical: '🔴', high: '🟠', medium: '🟡', low: '⚪' };

function openLine({ incident, replicas, link, quiet }: ShiftHandover['open'][number], command: string): Words {
  const { cluster, namespace, workload, seen, id } = incident;
  const name = workload.slice(workload.indexOf('/') + 1);
  const now =
    replicas.kind === 'unknown'
      ? `❔ replicas unknown (${clip(replicas.why, 80)})`
      : `${MARKS[replicas.value.severity]} ${replicas.value.severity}, ${replicas.value.ready} of ${replicas.value.all} ready`;
  const times = seen === 1 ? '' : `, seen ${seen} times`;
  return [
    `${now}: `,
    bold(clip(headlineOf(incident), 120)),
    ` in ${clip(`${namespace}/${name} (${cluster})`, 120)}${times}`,
    ...(incident.ackBy === null ? [', nobody is on it'] : stateWords(incident)),
    ', ',
    ...(quiet ? ['found quietly: ', code(`${command} handover ${id}`)] : [idOf(id, link)]),
  ];
}

function idOf(id: string, link: string | undefined): Span {
  return link === undefined ? code(id) : { kind: 'link', text: id, url: link };
}

function againLine({ incident, count, days, fixed }: Recurrence): Words {
  const name = incident.workload.slice(incident.workload.indexOf('/') + 1);
  const nth = `${clip(name, 80)}: ${headlineOf(incident)}, ${ordinal(count)} time in ${days} days`;
  if (fixed === undefined) return [clip(nth, 250)];
  const held = fixed.heldMs === null ? 'still holds' : `held ${spanOf(fixed.heldMs)}`;
  return [`${clip(nth, 250)}; last fix: ${clip(subjectOf(fixed.plan), 120)}, ${held}`];
}

function ordinal(count: number): string {
  const last = count % 100 > 10 && count % 100 < 14 ? 0 : count % 10;
  return `${count}${['th', 'st', 'nd', 'rd'][last] ?? 'th'}`;
}

function spanOf(ms: number): string {
  const hours = ms / 3_600_000;
  return hours < 48 ? `${Math.max(1, Math.round(hours))} h` : `${Math.round(hours / 24)} days`;
}

function watchLines({ plans, runs, changes }: ShiftHandover): Words[] {
  const drifted = changes.filter(({ state }) => state !== 'temporary');
  return [
    ...runs.map((run): Words => [`Running on ${clip(run.target.object.name, 80)}${waitsFor(run)}, `, code(run.id)]),
    ...plans.map(
      (plan): Words => [
        `Waiting for approval: ${clip(subjectOf(plan), 120)}, expires `,
        time(plan.expiresAt),
        ', ',
        code(plan.id),
      ],
    ),
    ...drifted.map(
      ({ target, id }): Words => [
        `The cluster no longer has the values of a change on ${clip(target.object.name, 80)}, `,
        code(id),
      ],
    ),
  ];
}

function waitsFor({ steps }: Run): string {
  const now = steps.find(({ phase }) => phase === 'running');
  if (now === undefined) return '';
  return `, step ${now.n} of ${steps.length}${now.endedAt === null ? '' : ' needs a decision: go-on or abort'}`;
}

function choicesOf({ moreOpen }: ShiftHandover): Choice[] {
  return moreOpen === 0 ? [] : [{ asks: 'status', label: 'All open', value: '1' }];
}
