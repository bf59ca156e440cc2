import { type Message, plain } from '../model/message.ts';
import { type Starter, startedBy } from '../model/started-by.ts';
import { clip } from './words/sentence.ts';

type Place = { readonly cluster?: string | undefined; readonly namespace?: string | undefined; readonly pod: string };

export type StepState = {
  readonly step: 'find-pod' | 'read-status' | 'read-logs' | 'read-metrics' | 'judge';
  readonly status: 'pending' | 'running' | 'done' | 'failed' | 'skipped';
  readonly detail?: string | undefined;
};

const TITLES: Readonly<Record<StepState['step'], string>> = {
  'find-pod': 'Find the pod',
  'read-status': 'Read status and events',
  'read-logs': 'Read the logs',
  'read-metrics': 'Read metrics',
  judge: 'Run the playbook',
};

const STARTED: Readonly<Record<Exclude<Starter, 'person'>, string>> = {
  alert: ' started by an alert',
  watch: ' started by a container that died',
  pressure: ' started by pressure on the KV cache',
};

/** The first message of a triage. It stays true if a restart loses track of the message. */
export function requestedCard(query: Place, asker: string): Message {
  const place = sayPlace(query);
  const starter = startedBy(asker);
  return {
    summary: clip(`Triage of ${place} requested.`, 300),
    blocks: [
      {
        kind: 'headline',
        mark: 'info',
        spans: [
          plain('Triage of '),
          { kind: 'code', text: place },
          ...(starter === 'person'
            ? [plain(' requested by '), { kind: 'user' as const, id: asker }]
            : [plain(STARTED[starter])]),
        ],
      },
    ],
  };
}

/** The message while evidence comes in. */
export function progressCard(query: Place, steps: readonly StepState[]): Message {
  const place = sayPlace(query);
  return {
    summary: clip(`Reading evidence for ${place}.`, 300),
    blocks: [
      { kind: 'headline', mark: 'info', spans: [plain('Reading evidence for '), { kind: 'code', text: place }] },
      {
        kind: 'progress',
        title: 'Progress',
        steps: steps.map(({ step, status, detail }) => ({
          id: step,
          title: TITLES[step],
          status,
          ...(detail === undefined ? {} : { detail: clip(detail, 150) }),
        })),
      },
    ],
  };
}

function sayPlace({ cluster, namespace, pod }: Place): string {
  return clip([cluster, namespace, pod].filter((part) => part !== undefined).join('/'), 200);
}
