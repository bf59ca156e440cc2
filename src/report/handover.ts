import { formatValue } from '../model/format-value.ts';
import type { CountersSince, HandedSetting, IncidentHandover, Read } from '../model/handover.ts';
import { bold, type Choice, code, type Message, type Span } from '../model/message.ts';
import { bucketOf } from '../model/taxonomy.ts';
import { changeChoices, changeWords } from './temporary-change.ts';
import { eventLines } from './words/event-words.ts';
import { clip, flatten, list, note, paragraph, say, user, type Words } from './words/sentence.ts';
import { categoryWords, headlineOf } from './words/verdict-words.ts';

const MOST_CHANGES = 3;
const MOST_EVENTS = 5;
const MOST_DECISIONS = 3;
const MOST_MISSING = 3;

const time = (at: number): Span => ({ kind: 'time', at });

/** The five points of the on-call checklist, with what is open. */
export function handoverMessage(handover: IncidentHandover): Message {
  const { incident } = handover;
  const workload = incident.workload.slice(incident.workload.indexOf('/') + 1);
  const place = clip(`${incident.namespace}/${workload} (${incident.cluster})`, 120);
  const title = clip(`Handover: ${place} · ${headlineOf(incident)}`, 280);
  const points: readonly Words[] = [
    [bold('1 Category: '), categoryWords(bucketOf(incident.cause))],
    [bold('2 Settings: '), ...settingWords(handover)],
    [bold('3 Pools: '), ...poolWords(handover)],
    [bold('4 To roll back: '), ...changeLines(handover)],
    [
      bold(`5 Counters since ${handover.counters.ofChange ? 'the change' : 'it opened'}: `),
      counterWords(handover.counters),
    ],
  ];
  return flatten({
    ...say(incident.state === 'closed' ? 'ok' : 'info', title, [
      paragraph(...stateLine(handover)),
      ...points.map((point) => paragraph(...point)),
      paragraph(bold('Open: '), openWords(handover)),
      note('Values read ', time(handover.at), ' · ', code(incident.id)),
    ]),
    choices: choicesOf(handover),
    dense: true,
  });
}

/** Both in one message. */
export function wholeHandover(handover: IncidentHandover): Message {
  const card = handoverMessage(handover);
  const lists = handoverThread(handover).blocks.filter(({ kind }) => kind !== 'headline');
  return { ...card, blocks: [...card.blocks, ...lists] };
}

/** What is told below it: timeline, decisions and links. */
export function handoverThread({ events, plans, links, incident }: IncidentHandover): Message {
  const lines = eventLines(events, plans);
  const moments = lines.filter(({ isDecision }) => !isDecision);
  const decisions = lines.filter(({ isDecision }) => isDecision);
  const linked = [...links].map(([id, url]): Words => [{ kind: 'link', text: id, url }]);
  const shown = (all: typeof lines, most: number): Words[] => {
    // The beginning says what failed, the end what is so now.
    const kept = all.length <= most ? all : [...all.slice(0, 2), ...all.slice(2 - most)];
    const items = kept.map(({ at, words }): Words => [time(at), ' ', ...words]);
    const left = all.length - kept.length;
    return left === 0 ? items : [...items.slice(0, 2), [`${left} more between`], ...items.slice(2)];
  };
  return flatten({
    ...say('info', `Timeline of ${incident.id}`, [
      ...list('Events', shown(moments, MOST_EVENTS)),
      ...list('Decisions', shown(decisions, MOST_DECISIONS)),
      ...(linked.length === 0
        ? []
        : [note('Messages: ', ...linked.flatMap((one, i) => (i === 0 ? one : [' · ', ...one])))]),
    ]),
    dense: true,
  });
}

function stateLine({ incident, replicas, last }: IncidentHandover): Words {
  const now =
    replicas.kind === 'unknown'
      ? `replicas unknown (${clip(replicas.why, 120)})`
      : `${replicas.value.ready} of ${replicas.value.all} replicas ready, severity ${replicas.value.severity}`;
  if (incident.state === 'closed') {
    return [
      'Resolved ',
      time(incident.closedAt ?? incident.lastSeenAt),
      ' by ',
      user(incident.closedBy ?? 'oombot'),
      `. Now: ${now}.`,
    ];
  }
  const who: Words = incident.ackBy === null ? ['nobody is on it'] : [user(incident.ackBy), ' is on it'];
  const mitigated: Words = last?.run.state === 'done' ? ['Mitigated ', time(last.run.updatedAt)] : ['Not mitigated'];
  return [...mitigated, ', ', ...who, `. Now: ${now}.`];
}

function settingWords({ settings, settingsFault }: IncidentHandover): Words {
  if (settings.length === 0) return [`unknown (${clip(settingsFault ?? 'the engine is not known', 200)})`];
  const shown = settings.map(settingText).join(' · ');
  return settingsFault === undefined ? [shown] : [`${shown} at the failure; now unknown (${clip(settingsFault, 160)})`];
}

function settingText({ label, before, now }: HandedSetting): string {
  const name = clip(label.replace(/^--/, ''), 40);
  if (now === null) return `${name} ${clip(before ?? 'unknown', 40)}`;
  return before === null || before === now
    ? `${name} ${clip(now, 40)}`
    : `${name} ${clip(before, 40)} → ${clip(now, 40)}`;
}

function poolWords({ pool, prompts }: IncidentHandover): Words {
  const lengths =
    prompts.kind === 'read'
      ? `prompts: median ${formatValue('count', prompts.value.median)}, P99 ${formatValue('count', prompts.value.p99)} tokens`
      : `prompt lengths: no data (${clip(prompts.why, 100)})`;
  if (pool.kind === 'unknown') return [`unknown (${clip(pool.why, 120)}) · ${lengths}`];
  if (pool.value === undefined)
    return [`no separate pool found; long and short requests share these pods · ${lengths}`];
  const { pool: name, route, others } = pool.value;
  const behind = route === undefined ? '' : ` behind route ${clip(route, 60)}`;
  const shared = others.length === 0 ? 'the only pool' : `next to ${clip(others.join(', '), 100)}`;
  const says = others.length === 0 ? '; long and short requests share it' : '';
  return [`${clip(name, 60)}${behind}, ${shared}${says} · ${lengths}`];
}

function changeLines({ changes, at }: IncidentHandover): Words {
  if (changes.length === 0) return ['nothing'];
  const shown = changes
    .slice(0, MOST_CHANGES)
    .flatMap(
      (change, i): Words => [
        `${i === 0 ? '' : '; '}${changeWords(undoing(change))}`,
        change.expiresAt <= at ? ', expired ' : ', expires ',
        time(change.expiresAt),
      ],
    );
  const more = changes.length - MOST_CHANGES;
  return more > 0 ? [...shown, `; ${more} more`] : shown;
}

/** What rolling a change back would change. */
function undoing({ values }: IncidentHandover['changes'][number]): Parameters<typeof changeWords>[0] {
  return { values: values.map(({ from, to, ...value }) => ({ ...value, from: to, to: from })) };
}

function counterWords({ ooms, restarts, rejected }: CountersSince): string {
  const count = (read: Read<number>, one: string, many: string): string =>
    read.kind === 'read'
      ? `${formatValue('count', read.value)} ${read.value === 1 ? one : many}`
      : `${many} no data (${clip(read.why, 100)})`;
  return [
    count(ooms, 'OOM', 'OOMs'),
    count(restarts, 'restart', 'restarts'),
    count(rejected, 'rejected request', 'rejected requests'),
  ].join(', ');
}

function openWords({ missing, alternatives, incident }: IncidentHandover): string {
  if (incident.causeCertain) return 'nothing about the cause.';
  const needs = missing.slice(0, MOST_MISSING).map((one) => clip(one, 120));
  const more = missing.length - needs.length;
  const lacks = needs.length === 0 ? '' : `Missing: ${needs.join('; ')}${more > 0 ? `; ${more} more` : ''}.`;
  return [clip(alternatives, 200), lacks].filter((part) => part !== '').join(' ') || 'the cause is likely, not proven.';
}

function choicesOf({ incident, changes }: IncidentHandover): Choice[] {
  const [first] = changes;
  const ofChange = first === undefined ? [] : changeChoices(first);
  const resolve: Choice[] =
    incident.state === 'open' ? [{ asks: 'resolve', label: 'Resolve…', value: incident.id }] : [];
  return [...ofChange.slice(0, 4), ...resolve];
}
