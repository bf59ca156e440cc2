import type { ActDeps } from '../app/acting/run/acts.ts';
import { createHandoverVerbs, type HandoverVerbs } from '../app/chat/handover-verbs.ts';
import {
  addTimeline,
  type HandoverPostDeps,
  type HandoverReadDeps,
  postEndOfRun,
} from '../app/handover/handover-command.ts';
import { readHandover } from '../app/handover/incident-handover.ts';
import { postDueShifts } from '../app/handover/shift-schedule.ts';
import type { SilenceDeps } from '../app/handover/silence-command.ts';
import type { Outbox } from '../app/outbox.ts';
import type { UnsentMessage } from '../app/outbox-ports.ts';
import type { Chat, Clock, Ids, Log } from '../app/ports.ts';
import { type Config, rightsOf } from '../config.ts';
import type { Redactor } from '../snapshot/redact.ts';
import { snapshotSource } from '../snapshot/source.ts';
import type { Fieldwork } from './fieldwork.ts';
import type { Knowledge } from './knowledge.ts';
import type { DurableStore } from './open-store.ts';
import { type Repeated, repeat } from './repeat.ts';
import { VERSION } from './version.ts';

const EVERY_MS = 30_000;

type ReadParts = {
  readonly store: DurableStore;
  readonly field: Fieldwork;
  readonly knowledge: Pick<Knowledge, 'diagnose'>;
  readonly redactor: Pick<Redactor, 'redact'>;
  readonly ids: Ids;
};

/** What a handover is read with, and what silences a workload. */
export function handoverReads(config: Config, commandName: string, parts: ReadParts): HandoverReadDeps & SilenceDeps {
  const { store, field, knowledge, redactor, ids } = parts;
  const { pods, routes, history, deps } = field;
  return {
    ...{ store, acts: store, ledger: store, ids, pods, routes, history, commandName, version: VERSION },
    investigate: deps,
    budget: deps.budget,
    source: snapshotSource,
    diagnose: knowledge.diagnose,
    rights: rightsOf(config),
    clusters: config.clusters.map(({ name }) => name),
    redact: redactor.redact,
  };
}

type Parts = ReadParts & {
  readonly chat: Chat;
  readonly outbox: Outbox;
  readonly isShared: (channel: string) => Promise<boolean>;
  readonly clock: Clock;
  readonly log: Log;
};

/** Handovers: typed, at the end of a run, and at the hours of the configuration. */
export type Handovers = {
  readonly verbs: HandoverVerbs;
  readonly ofRun: NonNullable<ActDeps['handOver']>;
  /** Posts what belongs below a handover that waited for Slack. */
  late(posted: Pick<UnsentMessage, 'incidentId' | 'kind'>): Promise<void>;
  begin(): Repeated;
};

export function wireHandovers(config: Config, parts: Parts): Handovers {
  const { chat, outbox, log, clock, isShared } = parts;
  const reads = handoverReads(config, config.slack.command, parts);
  const deps: HandoverPostDeps & SilenceDeps = { ...reads, chat, outbox, log, permalink: chat.permalink };
  const settled = new Set<string>();
  return {
    verbs: createHandoverVerbs(deps),
    ofRun: (run, signal) => postEndOfRun(deps, run, signal),
    async late(posted) {
      const incident = await parts.store.incident(posted.incidentId);
      if (incident !== undefined) await addTimeline(deps, posted, () => readHandover(deps, incident));
    },
    begin: () =>
      repeat(EVERY_MS, clock, (signal) =>
        postDueShifts({ ...deps, schedules: config.handover.shifts, isShared }, settled, signal),
      ),
  };
}
