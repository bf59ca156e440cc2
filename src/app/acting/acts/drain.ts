import type { Reading } from '../../../actions/verify-checks.ts';
import type { StepRecord, WaitStep } from '../../../model/plan.ts';
import type { ActAnswer } from '../act-answers.ts';
import { failStep, ok, type Work } from './act-work.ts';
import { orLate } from './late-answers.ts';
import { ASK_EVERY_MS, ASK_MS } from './pace.ts';

const LATE: Reading = { kind: 'unknown', why: 'the read timed out' };

/** One look at the requests in flight. At the deadline it does not go on by itself: it says how many would be cut, and asks. */
export async function waitUntilDrained(work: Work, step: WaitStep, record: StepRecord): Promise<ActAnswer> {
  const running = await readRunning(work);
  const now = work.deps.clock.now();
  const startedAt = record.startedAt ?? now;
  if (work.run.command === 'keep') return goOn(work, record, running);
  if (running.kind === 'known' && running.value === 0) return end(work, record, 'no requests in flight');
  const overSince = startedAt + step.deadlineMs;
  if (now < overSince) {
    const says = running.kind === 'known' ? `${running.value} requests in flight` : sayUnread(running.why);
    return again(work, { ...record, startedAt, endedAt: null, message: says }, step.everyMs);
  }
  if (now - overSince >= ASK_MS) {
    const says = `${sayCut(running)}; nobody answered within ${ASK_MS / 60_000} min`;
    return failStep(work, record, { why: 'timeout', says });
  }
  // A step that runs and has an end: its time is over, and a person is asked.
  return again(work, { ...record, startedAt, endedAt: overSince, message: sayCut(running) }, ASK_EVERY_MS);
}

/** A word to go on counts for one wait: what comes after it is verified as ever. */
export async function takeWord(work: Work): Promise<void> {
  const { deps, run } = work;
  if (run.command !== 'keep') return;
  await deps.store.commandRun(run.id, { command: 'none', by: run.commandBy ?? 'oombot', at: deps.clock.now() });
}

async function readRunning({ deps, plan, cluster, context, run }: Work): Promise<Reading> {
  const { target } = plan;
  const { signal } = context;
  const read = await cluster.pods(target, context);
  if (read.kind === 'could-not-tell') return { kind: 'unknown', why: `pods not readable: ${read.why}` };
  const look = { target, pods: read.pods, since: run.startedAt, begun: run.startedAt, signal };
  const asked = deps.eyes.inFlight?.(look) ?? deps.eyes.readings(look).then(({ running }) => running);
  return orLate(signal, asked, LATE);
}

async function goOn(work: Work, record: StepRecord, running: Reading): Promise<ActAnswer> {
  const who = work.run.commandBy ?? 'someone';
  const cut =
    running.kind === 'known' ? `${running.value} requests in flight` : 'an unknown number of requests in flight';
  return end(work, record, `continued by ${who}, cut off ${cut}`);
}

async function end(work: Work, record: StepRecord, says: string): Promise<ActAnswer> {
  const at = work.deps.clock.now();
  await save(work, { ...record, phase: 'done', startedAt: record.startedAt ?? at, endedAt: at, message: says });
  await takeWord(work);
  return ok(says);
}

async function again(work: Work, record: StepRecord, everyMs: number): Promise<ActAnswer> {
  await save(work, { ...record, phase: 'running', attempts: record.attempts + 1 });
  return { kind: 'wait', inMs: everyMs * (work.input.stretch ?? 1), says: record.message };
}

async function save({ deps, run }: Work, record: StepRecord): Promise<void> {
  await deps.store.saveStep(run.id, record);
  deps.progress(run.id);
}

function sayUnread(why: string): string {
  return `Requests in flight unknown: ${why}`;
}

function sayCut(running: Reading): string {
  if (running.kind === 'unknown') return sayUnread(running.why);
  return `${running.value} ${running.value === 1 ? 'request' : 'requests'} in flight, and new ones keep coming`;
}
