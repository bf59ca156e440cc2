import { createIntake } from '../app/automatic/intake.ts';
import type { Meters } from '../app/meter-ports.ts';
import type { Outbox } from '../app/outbox.ts';
import type { Clock, Ids, Log } from '../app/ports.ts';
import type { TriageStarter } from '../app/triage/triage.ts';
import { createWorkQueue, type WorkQueue } from '../app/work-queue.ts';
import { type Config, rightsOf } from '../config.ts';
import { openAlerts } from './alerts.ts';
import type { Fieldwork } from './fieldwork.ts';
import type { DurableStore } from './open-store.ts';
import { openWatches } from './watch.ts';

const TRIAGES_AT_ONCE = 4;
const TRIAGES_WAITING = 1_000;

type Parts = {
  readonly store: DurableStore;
  readonly field: Pick<Fieldwork, 'watches' | 'deps'>;
  readonly triage: TriageStarter;
  readonly outbox: Outbox;
  readonly isShared: (channel: string) => Promise<boolean>;
  readonly meters: Meters;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
};

export type Automatic = {
  readonly alertPort: number | undefined;
  /** Where triages run that nobody typed. */
  readonly queue: Pick<WorkQueue, 'add'>;
  stop(): Promise<void>;
};

/** What starts triages by itself: alerts, and containers that die. */
export async function openAutomatic(config: Config, parts: Parts): Promise<Automatic> {
  const queue = createWorkQueue({ most: TRIAGES_AT_ONCE, waiting: TRIAGES_WAITING });
  const intake = createIntake({ ...parts, queue, rights: rightsOf(config) });
  const alerts = await openAlerts(config, { ...parts, intake });
  const watches = openWatches(config, { ...parts, intake });
  return {
    alertPort: alerts?.port,
    queue,
    async stop() {
      await Promise.all([alerts?.stop(), watches.stop()]);
      await queue.stop();
    },
  };
}
