import { parseJsonFile } from '../../model/json-file.ts';
import { Pod } from '../../model/kubernetes.ts';
import { isEngineDead } from '../words/dead-engine.ts';
import type { ReportInput } from '../words/report-input.ts';
import { user, type Words } from '../words/sentence.ts';
import { timeOf } from '../words/span-words.ts';
import { atMinute } from '../words/verdict-words.ts';

/** That an incident was resolved although its pod, read after that, is not shown to be ready; undefined for any other. */
export function failingResolvedWords(input: ReportInput): Words | undefined {
  const { incident, capture } = input;
  const closedAt = incident?.closedAt ?? null;
  if (incident?.state !== 'closed' || closedAt === null || capture === undefined) return undefined;
  const state = capture.takenAt > closedAt ? failingState(input, closedAt) : undefined;
  if (state === undefined) return undefined;
  return [
    'Resolved by ',
    user(incident.closedBy ?? 'oombot'),
    `${timeWords(closedAt, capture.takenAt)}, but ${state}.`,
  ];
}

// The hour is enough of what was today.
function timeWords(at: number, now: number): string {
  const [day, today] = [at, now].map((time) => timeOf(time)?.words.slice(0, 10));
  return day === today ? atMinute(at) : ` on ${day}`;
}

function failingState({ facts, snapshot }: ReportInput, closedAt: number): string | undefined {
  // Its pod stays Ready.
  if (isEngineDead(facts)) return 'the engine is still dead';
  const pod = parseJsonFile(Pod, snapshot?.files['pod.json'] ?? '');
  const conditions = pod.kind === 'value' ? (pod.value.status?.conditions ?? []) : [];
  const ready = conditions.find(({ type }) => type === 'Ready');
  if (ready?.status === 'True') return undefined;
  if (ready?.status === undefined) return 'the status of the pod is unknown';
  const since = Date.parse(ready.lastTransitionTime ?? '');
  return since <= closedAt ? 'the pod has not been ready since' : 'the pod is not ready';
}
