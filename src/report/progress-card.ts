import { type Message, plain } from '../model/message.ts';
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
  judge: 'Walk the playbook',
};

/** The first words of a triage. They stay true where a restart loses the message before its place is stored. */
export function requestedCard(query: Place, asker: string): Message {
  const place = sayPlace(query);
  return {
    summary: clip(`Triage of ${place} requested.`, 300),
    blocks: [
      {
        kind: 'headline',
        mark: 'info',
        spans: [
          plain('Triage of '),
          { kind: 'code', text: place },
          plain(' requested by '),
          { kind: 'user', id: asker },
        ],
      },
    ],
  };
}

/** The card while evidence comes in. */
export function progressCard(query: Place, steps: readonly StepState[]): Message {
  const place = sayPlace(query);
  return {
    summary: clip(`Reading the evidence of ${place}.`, 300),
    blocks: [
      { kind: 'headline', mark: 'info', spans: [plain('Reading the evidence of '), { kind: 'code', text: place }] },
      {
        kind: 'progress',
        title: 'What killed it?',
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
