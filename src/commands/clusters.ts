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
import type { CommandContext } from './context.ts';
import { namespaceOfContext } from './kube-options.ts';
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
  'find-pod': 'finding the pod',
  'read-status': 'reading status and events',
  'read-logs': 'reading logs',
  'read-metrics': 'reading metrics',
  judge: 'diagnosing',
};

// With one line on the terminal that says what is being read.
function podRequest(terminal: Terminal, words: readonly string[]): InvestigateRequest {
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
  context: Pick<CommandContext, 'terminal' | 'config'>,
  { deps }: Fieldwork,
  words: readonly string[],
): Promise<Collected | Unresolved> {
  const collected = await askOfContext(context, words, (request) => collectSnapshot(deps, request));
  context.terminal.progress(undefined);
  return collected;
}

/** Asks for a pod: without a namespace first in that of the context, as kubectl does, and then in all. */
export async function askOfContext<T extends { readonly kind: string }>(
  { terminal, config }: Pick<CommandContext, 'terminal' | 'config'>,
  words: readonly string[],
  ask: (request: InvestigateRequest) => Promise<T>,
): Promise<T> {
  const request = podRequest(terminal, words);
  const { query } = request;
  const namespace = query.namespace === undefined ? namespaceOfContext(config(), query.cluster) : undefined;
  if (namespace === undefined) return ask(request);
  const own = await ask({ ...request, query: { ...query, namespace } });
  return own.kind === 'not-found' ? ask(request) : own;
}

/** Prints an unresolved pod to stderr and returns the exit code. */
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
