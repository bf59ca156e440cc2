import type { ActStore } from '../app/acting-ports.ts';
import type { Clock, Log } from '../app/ports.ts';
import type { Run } from '../model/plan.ts';

/** What the engine knows of one execution. */
export type EngineRun = {
  readonly isLive: boolean;
  readonly status: string;
  /** It found the run bound to another execution, and left. */
  readonly isDuplicate: boolean;
  readonly endedAt: number | null;
  readonly cancel: () => Promise<void>;
};

type SweeperOptions = {
  readonly clock: Clock;
  readonly log: Log;
  readonly store: Pick<ActStore, 'openRuns' | 'run' | 'setRunState'>;
  /** Makes the execution of this key, or answers the one that is there. */
  readonly open: (run: Run, key: string, from: 'start' | 'roll-back') => Promise<EngineRun>;
  readonly onLost: (runId: string) => Promise<void>;
};

type Sweeper = {
  /** One look at all open runs. Never rejects. */
  sweep(): Promise<void>;
  /** Sees to it that an execution carries the run on, or that the run ends. */
  adopt(run: Run): Promise<void>;
};

// A run can be resumed for rollback as often as the rollback fails.
const MAX_EXECUTIONS = 50;
// Twelve polls: whoever has not seen it by then will not.
const ABANDON_MS = 120_000;

/** Starts runs that nobody started, after a crash between the click and its start, and ends those that nobody carries on. */
export function createSweeper(options: SweeperOptions): Sweeper {
  const { log, store } = options;
  return {
    adopt: (run) => adopt(options, run),
    async sweep() {
      const open = await store.openRuns().catch((error: unknown) => log.warn('open runs not read', { error }));
      for (const run of open ?? []) {
        await adopt(options, run).catch((error: unknown) => log.warn('run not adopted', { run: run.id, error }));
      }
    },
  };
}

async function adopt(options: SweeperOptions, run: Run): Promise<void> {
  const { open, clock } = options;
  const back = wantsBack(run);
  for (let i = 0; i < MAX_EXECUTIONS; i += 1) {
    const found = i === 0 ? await open(run, run.id, 'start') : await open(run, `${run.id}/back/${i}`, 'roll-back');
    if (found.isLive) {
      if (run.command !== 'abandon' || clock.now() - run.updatedAt < ABANDON_MS) return;
      await found.cancel();
      return end(options, run, 'aborted', 'Stopped where it is: its workflow did not answer.');
    }
    const next = judgeEnded(run, { found, isFirst: i === 0, back });
    if (next === 'leave') return;
    if (next === 'lost') return end(options, run, 'failed', lostWords(found));
  }
}

/** It is done, and a person has resumed it to roll it back. */
function wantsBack({ state, command }: Run): boolean {
  return state === 'compensating' && command === 'roll-back';
}

type Ended = { readonly found: EngineRun; readonly isFirst: boolean; readonly back: boolean };

// The run is still open although this execution has ended.
function judgeEnded(run: Run, { found, isFirst, back }: Ended): 'leave' | 'lost' | 'next' {
  if (!back) return found.isDuplicate ? 'leave' : 'lost';
  if (isFirst || !found.isDuplicate) return 'next';
  // One that left before the person asked says nothing of now; one that left since was kept out by a dead one.
  return (found.endedAt ?? 0) < run.updatedAt ? 'next' : 'lost';
}

function lostWords({ status }: EngineRun): string {
  return `The run was cut off (its workflow is ${status}). Its changes are still applied; see its steps.`;
}

async function end(
  { store, clock, onLost, log }: SweeperOptions,
  { id }: Run,
  state: 'failed' | 'aborted',
  outcome: string,
): Promise<void> {
  const now = await store.run(id);
  // It may have ended by itself since it was read.
  if (now === undefined || (now.state !== 'queued' && now.state !== 'running' && now.state !== 'compensating')) return;
  await store.setRunState(id, { state, outcome, actor: 'oombot', at: clock.now() });
  await onLost(id).catch((error: unknown) => log.warn('end of a run not posted', { run: id, error }));
}
