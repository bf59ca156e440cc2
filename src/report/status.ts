import type { Incident } from '../model/incident.ts';
import { type Block, bold, code, type Message, plain, type Span } from '../model/message.ts';
import { ago, clip, say } from './sentence.ts';
import { headlineOf } from './words.ts';

const MOST = 20;

/** Open incidents as a list, the one seen last first. */
export function statusMessage(incidents: readonly Incident[], now: number, commandName: string): Message {
  if (incidents.length === 0) {
    return say('ok', 'No open incident.', [
      { kind: 'note', spans: [plain('To read a pod, type '), code(`${commandName} triage <pod>`)] },
    ]);
  }
  const count = incidents.length === 1 ? '1 open incident' : `${incidents.length} open incidents`;
  const more =
    incidents.length > MOST ? [{ kind: 'note' as const, spans: [plain(`and ${incidents.length - MOST} more`)] }] : [];
  const list: Block = {
    kind: 'list',
    title: 'Seen last first',
    items: incidents.slice(0, MOST).map((one) => line(one, now)),
  };
  return say('warn', `${count}.`, [
    list,
    ...more,
    { kind: 'note', spans: [plain('For the reasons, type '), code(`${commandName} explain <id>`)] },
  ]);
}

/** The Home tab: one message with all open incidents. */
export function homeMessages(incidents: readonly Incident[], now: number, commandName: string): Message[] {
  return [statusMessage(incidents, now, commandName)];
}

function line(incident: Incident, now: number): Span[] {
  const sure = incident.certain ? '' : ' (not certain)';
  const times =
    incident.seen === 1
      ? `${ago(incident.lastSeenAt, now)} ago`
      : `seen ${incident.seen} times, last ${ago(incident.lastSeenAt, now)} ago`;
  return [
    bold(clip(`${headlineOf(incident)}${sure}`, 200)),
    plain(' in '),
    code(clip(`${incident.cluster}/${incident.namespace}/${incident.workload}`, 300)),
    plain(`, ${times}, `),
    code(incident.id),
  ];
}
