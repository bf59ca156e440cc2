import { createIncidentVerbs, type IncidentVerbs } from '../app/chat/incident-verbs.ts';
import { closeQuietIncidents, type QuietDeps } from '../app/lifecycle/close-quiet.ts';
import { showAfterRun } from '../app/lifecycle/show-state.ts';
import type { Outbox } from '../app/outbox.ts';
import type { Chat, Clock, Log } from '../app/ports.ts';
import type { PublishDeps } from '../app/triage/publish-finding.ts';
import { type Config, rightsOf } from '../config.ts';
import type { Redactor } from '../snapshot/redact.ts';
import { snapshotSource } from '../snapshot/source.ts';
import type { Fieldwork } from './fieldwork.ts';
import type { Knowledge } from './knowledge.ts';
import type { DurableStore } from './open-store.ts';
import { type Repeated, repeat } from './repeat.ts';
import { VERSION } from './version.ts';

const EVERY_MS = 15 * 60_000;
const HOUR_MS = 60 * 60_000;

type Parts = {
  readonly store: DurableStore;
  readonly field: Fieldwork;
  readonly knowledge: Knowledge;
  readonly redactor: Redactor;
  readonly chat: Chat;
  readonly outbox: Outbox;
  readonly mayPlan: PublishDeps['mayPlan'];
  readonly isShared: (channel: string) => Promise<boolean>;
  readonly clock: Clock;
  readonly log: Log;
};

/** How incidents are taken on, closed and judged. */
type Lifecycle = {
  readonly verbs: IncidentVerbs;
  /** Shows what a run has made of its incident. Never rejects. */
  afterRun(incidentId: string): Promise<void>;
  /** Looks every quarter of an hour for what can be closed. */
  begin(): Repeated;
};

export function wireLifecycle(config: Config, parts: Parts): Lifecycle {
  const { store, field, knowledge, redactor, clock, log } = parts;
  const deps = {
    ...parts,
    acts: store,
    pods: field.pods,
    budget: field.deps.budget,
    source: snapshotSource,
    engine: knowledge.engine,
    diagnose: knowledge.diagnose,
    findings: knowledge.findings,
    redact: redactor.redact,
    rights: rightsOf(config),
    commandName: config.slack.command,
    agent: `oombot/${VERSION}`,
    quietMs: config.incidents.quietHours * HOUR_MS,
    resolvedMs: config.incidents.resolvedMinutes * 60_000,
  } satisfies QuietDeps & Parameters<typeof createIncidentVerbs>[0];
  return {
    verbs: createIncidentVerbs(deps),
    afterRun: (incidentId) => showAfterRun(deps, incidentId),
    begin: () =>
      repeat(EVERY_MS, clock, (signal) =>
        closeQuietIncidents(deps, signal).catch((error: unknown) =>
          log.error('quiet incidents not looked at', { error }),
        ),
      ),
  };
}
