import { userInfo } from 'node:os';
import { formatPodQuery } from '../app/pod-query.ts';
import type { ProgressStep } from '../app/ports.ts';
import { type Collected, collectSnapshot, type InvestigateRequest } from '../app/triage/investigate.ts';
import type { Config } from '../config.ts';
import type { Unresolved } from '../model/unresolved.ts';
import { unresolved } from '../report/notices.ts';
import { drawTerminal } from '../report/terminal.ts';
import { createSystemClock } from '../system/clock.ts';
import { createSystemIds } from '../system/ids.ts';
import { type Fieldwork, wireFieldwork } from '../wire/fieldwork.ts';
import type { Knowledge } from '../wire/knowledge.ts';
import { queryOf } from './pod-words.ts';
import { EXIT, type Terminal } from './terminal.ts';

export const tools = { clock: createSystemClock(), ids: createSystemIds() };

/** Works with the clusters of the configuration, and closes them. */
export async function withClusters<T>(
  config: Config,
  knowledge: Knowledge,
  work: (clusters: Fieldwork) => Promise<T>,
): Promise<T> {
  const clusters = wireFieldwork(config, { ...tools, knowledge });
  try {
    return await work(clusters);
  } finally {
    await clusters.close();
  }
}

const STEPS: Readonly<Record<ProgressStep, string>> = {
  'find-pod': 'looking for the pod',
  'read-status': 'reading status and events',
  'read-logs': 'reading logs',
  'read-metrics': 'reading metrics',
  judge: 'walking the playbook',
};

/** What the words ask for, with one line on the terminal that says what is being read. */
export function podRequest(terminal: Terminal, words: readonly string[]): InvestigateRequest {
  const query = queryOf(words);
  return {
    query,
    actor: { place: 'terminal', user: userName() },
    progress(step, status, detail) {
      if (status !== 'running') return;
      const more = detail === undefined ? '' : ` (${detail})`;
      terminal.progress(`${formatPodQuery(query)}: ${STEPS[step]}${more} …`);
    },
  };
}

export async function collectPod(
  terminal: Terminal,
  { deps }: Fieldwork,
  words: readonly string[],
): Promise<Collected | Unresolved> {
  const collected = await collectSnapshot(deps, podRequest(terminal, words));
  terminal.progress(undefined);
  return collected;
}

/** What could not be resolved, in words on stderr, with the exit code for scripts. */
export function sayUnresolved(terminal: Terminal, found: Unresolved): number {
  terminal.err(drawTerminal(unresolved(found, 'oom'), terminal));
  return found.kind === 'forbidden' || found.kind === 'refused' ? EXIT.notAllowed : EXIT.notFound;
}

// A container may run under a number that has no name.
export function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return 'terminal';
  }
}
