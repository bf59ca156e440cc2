import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createActingCluster } from '../../../../src/kubernetes/acting/acting-cluster.ts';
import { createSession } from '../../../../src/kubernetes/api/session.ts';
import { createSystemClock } from '../../../../src/system/clock.ts';
import { plainCredentials } from '../../../kubernetes/plain-credentials.ts';
import type { Errand } from './carry-run.ts';
import type { KillKind } from './kill-kinds.ts';
import { openPatient, type Patient, type Ward } from './patient.ts';
import { type Bot, bundleProcesses, type Survivor } from './processes.ts';

/** A lease of the engine, and a little. */
export const LEASE_MS = 31_000;

/** Where one workload stands: on which stand-in (workloads of a few are quicker to look after), and its store. */
type Place = { readonly ward?: string; readonly namespace: string; readonly store: string };

export type KillLab = {
  readonly folder: string;
  open(kind: KillKind, place: Place): Promise<Patient>;
  bot(errand: Errand): Bot;
  /** A bot that lives on, so much later than the others; one for all that ask. */
  survivor(shiftMs: number): Survivor;
  close(): Promise<void>;
};

type Opened = Ward & { close(): Promise<void> };

/** Where bots are killed: the processes, and for each kind of change a stand-in API server, which stays small so. */
export async function openKillLab(): Promise<KillLab> {
  const folder = mkdtempSync(join(tmpdir(), 'oom-kill-'));
  const processes = await bundleProcesses(folder);
  const wards = new Map<string, Promise<Opened>>();
  const survivors = new Map<number, Survivor>();
  const patients: Patient[] = [];
  const bots: Bot[] = [];
  const openWard = async (id: string): Promise<Opened> => {
    const file = join(folder, `${id}.json`);
    writeFileSync(file, JSON.stringify({ life: { loadMs: 30, terminateMs: 20 } }));
    const standin = await processes.standin(file);
    const clock = createSystemClock();
    const session = createSession(async () => plainCredentials(standin.url), clock);
    return {
      url: standin.url,
      cluster: createActingCluster({ clusterName: 'prod', session, clock }),
      async close() {
        standin.kill();
        await session.close();
      },
    };
  };
  return {
    folder,
    async open(kind, { ward: id = 'all', namespace, store }) {
      const ward = wards.get(id) ?? openWard(id);
      wards.set(id, ward);
      const patient = await openPatient(await ward, kind, { namespace, store });
      patients.push(patient);
      return patient;
    },
    bot(errand) {
      const bot = processes.bot(errand, 0);
      bots.push(bot);
      return bot;
    },
    survivor(shiftMs) {
      const survivor = survivors.get(shiftMs) ?? processes.survivor(shiftMs);
      survivors.set(shiftMs, survivor);
      return survivor;
    },
    async close() {
      for (const bot of bots) bot.kill();
      await Promise.allSettled(bots.map(({ exit }) => exit));
      for (const survivor of survivors.values()) survivor.kill();
      for (const patient of patients) await patient.close();
      for (const ward of wards.values()) await (await ward).close();
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
