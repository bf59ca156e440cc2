import type { ActStore } from '../../app/acting-ports.ts';
import type { Clock, Ids } from '../../app/ports.ts';
import type { Access } from '../database/access.ts';
import { addAudit } from '../database/journal.ts';
import { incidentOf } from '../incidents/incidents.ts';
import type { Releases } from '../incidents/requests.ts';
import { takeClick } from './click.ts';
import {
  changeById,
  changeOfRun,
  claimCheck,
  enterChange,
  extendChange,
  moveChange,
  noteCheck,
  openChanges,
} from './ledger.ts';
import { pause, pausedBy, resume } from './pauses.ts';
import { approvalsOf, openPlans, planOf, plansOf, savePlan } from './plans.ts';
import {
  baselineOf,
  claimRun,
  commandRun,
  listRuns,
  recordWrite,
  runOf,
  saveBaseline,
  saveChecks,
  saveStep,
  setRunState,
} from './runs.ts';

type Tools = { readonly clock: Clock; readonly ids: Ids; readonly holder: string; readonly releases: Releases };

/** The durable half of acting, over any dialect. Every method throws only OomError. */
export function createActStore({ read, write, now }: Access, { clock, ids, holder, releases }: Tools): ActStore {
  return {
    now: () => read(now),
    savePlan: async (plan, by = {}) =>
      releases.note(by.card && by.request, await write((trx) => savePlan(trx, plan, { ...by, holder }))),
    plan: (id) => read((db) => planOf(db, id)),
    openPlans: (at) => read((db) => openPlans(db, at)),
    plansOf: (incidentId) => read((db) => plansOf(db, incidentId)),
    approvals: (planId) => read((db) => approvalsOf(db, planId)),
    click: (click, notices = []) => write((trx) => takeClick(trx, { ids, now, holder }, { click, notices })),
    openRuns: () => read((db) => listRuns(db, 'open')),
    run: (id) => read((db) => runOf(db, id)),
    runsOf: (incidentId) => read((db) => listRuns(db, { incidentId })),
    claimRun: (id, executionId, at) => write((trx) => claimRun(trx, id, { executionId, at })),
    saveStep: (id, record) => write((trx) => saveStep(trx, id, record, clock.now())),
    saveChecks: (id, checks, at) => write((trx) => saveChecks(trx, id, checks, at)),
    saveBaseline: (id, baseline, at) => write((trx) => saveBaseline(trx, id, baseline, at)),
    baseline: (id) => read((db) => baselineOf(db, id)),
    setRunState: (id, change) => write((trx) => setRunState(trx, id, change)),
    commandRun: (id, command) => write((trx) => commandRun(trx, id, command)),
    recordWrite: (id, record) => write((trx) => recordWrite(trx, id, record)),
    recordRefusal: ({ who: actor, verb, subject, why, at }) =>
      write((trx) => addAudit(trx, { at, actor, action: 'refused', subject, data: { verb, why } })),
    pause: (paused) => write((trx) => pause(trx, paused)),
    resume: (by, at) => write((trx) => resume(trx, by, at)),
    paused: () => read(pausedBy),
    enterChange: (draft) => write((trx) => enterChange(trx, draft)),
    openChanges: () => read(openChanges),
    temporaryChange: (id) => read((db) => changeById(db, id)),
    changeOfRun: (runId) => read((db) => changeOfRun(db, runId)),
    claimCheck: (change, next) => write((trx) => claimCheck(trx, change, next)),
    noteCheck: (id, check) => write((trx) => noteCheck(trx, id, check)),
    moveChange: (id, move) => write((trx) => moveChange(trx, id, move)),
    extendChange: (id, extension) => write((trx) => extendChange(trx, id, extension)),
    incident: (id) => read((db) => incidentOf(db, id)),
  };
}
