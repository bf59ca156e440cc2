import type { LogRead, NotRead } from '../../model/snapshot.ts';
import { type LogPlan, type LogPlans, planLogs } from '../logs/plan-logs.ts';
import { HEAD_BYTES, type LogDeps, type LogOutcome, readLog } from '../logs/read-log.ts';
import { type PodRead, type Reads, readPodAgain } from './reads.ts';
import type { Reserved } from './reserve.ts';

export type LogsRead = {
  readonly files: Readonly<Record<string, string>>;
  readonly logs: readonly LogRead[];
  /** The pod as it stood after a restart in between: the logs belong to this one. */
  readonly newerPod: PodRead | undefined;
};

export type LogsInput = {
  readonly deps: LogDeps;
  readonly reads: Reads;
  readonly plans: LogPlans['plans'];
  readonly reserved: Reserved;
  readonly after: number;
};

// Kept for events, owners, siblings and the like.
const JSON_BYTES = 1_200_000;
const MAX_CRASH_BYTES = 8 * 1024 * 1024;
const FIRST_SHARE = 0.6;

/** Reads the planned logs and then looks at the pod again: where a container has restarted meanwhile, its log is read once more. */
export async function readLogs(input: LogsInput): Promise<LogsRead> {
  const { deps, reads, plans, reserved, after } = input;
  const room = sharesOf(deps.context.budget.bytesLeft, plans.length);
  const first = await Promise.all(
    plans.map((plan, i) => {
      const taken = reserved.logs[i] ?? { head: false, crash: false };
      // The whole of a second log is not worth a minute of the first one's finding.
      return readLog(deps, plan, { ...taken, maxBytes: room[i] ?? 0, deep: i === 0 });
    }),
  );
  const spent = after + Math.max(0, ...first.map(({ spentMs }) => spentMs));
  reads.chain(spent);
  const again = reserved.podAgain ? await readPodAgain(reads, deps.target, spent) : undefined;
  const { outcomes, changed } = await reread(input, first, again);
  for (const { notRead } of outcomes) for (const one of notRead) reads.note(one);
  const read = outcomes.flatMap(({ read: one }) => (one === undefined ? [] : [one]));
  return {
    files: Object.fromEntries(read.map(({ log, text }) => [log.file, text])),
    logs: read.map(({ log }) => log),
    newerPod: changed ? again : undefined,
  };
}

function sharesOf(bytesLeft: number, count: number): number[] {
  const room = Math.max(0, bytesLeft - JSON_BYTES - count * HEAD_BYTES);
  const parts = count < 2 ? [1] : [FIRST_SHARE, ...Array<number>(count - 1).fill((1 - FIRST_SHARE) / (count - 1))];
  return parts.map((part) => Math.min(MAX_CRASH_BYTES, Math.floor(room * part)));
}

type Reread = { readonly outcomes: readonly LogOutcome[]; readonly changed: boolean };

/** Reads again what the restart of a container has put in another place; of each container its newest end. */
async function reread(input: LogsInput, first: readonly LogOutcome[], again: PodRead | undefined): Promise<Reread> {
  const now = again === undefined ? [] : planLogs(again.pod, input.deps.target.container).plans;
  const moved = first.filter(({ plan }) => isStale(plan, now));
  if (again === undefined || moved.length === 0) return { outcomes: first, changed: false };
  const newest = now.filter(({ container }, i) => now.findIndex((one) => one.container === container) === i);
  const outcomes = await Promise.all(
    newest.map(async (newer) => {
      const old = first.filter(({ plan }) => plan.container === newer.container);
      const [main] = old.filter((one) => moved.includes(one));
      if (main === undefined) return old;
      // It was dead at the first look and only changed its place: the first status goes with its log, and with that of the other instance.
      const stays = main.plan.instance === newer.instance && main.plan.endedAt !== undefined;
      const plan = stays ? { ...newer, file: main.plan.file } : newer;
      const read = await readNewer(input, main, { newer: plan, after: again.after });
      return [read, ...old.filter((one) => one !== main && (stays || !moved.includes(one)))];
    }),
  );
  const others = first.filter(({ plan }) => !now.some(({ container }) => container === plan.container));
  return { outcomes: [...outcomes.flat(), ...others], changed: outcomes.flat().some(({ plan }) => now.includes(plan)) };
}

// A log is that of another instance, or another flag reads it.
function isStale(plan: LogPlan, now: readonly LogPlan[]): boolean {
  const own = now.filter(({ container }) => container === plan.container);
  return own.length > 0 && !own.some((one) => one.previous === plan.previous && one.instance === plan.instance);
}

async function readNewer(
  { deps, reads }: LogsInput,
  old: LogOutcome,
  { newer, after }: { newer: LogPlan; after: number },
): Promise<LogOutcome> {
  const { budget } = deps.context;
  const head = budget.take('log');
  const crash = head && budget.take('log');
  const restarted = `container ${old.plan.container} restarted while its log was read`;
  if (!head) {
    const mixed: NotRead = {
      item: old.plan.file,
      reason: 'budget',
      detail: `${restarted}; API call limit`,
    };
    return { ...old, notRead: [...old.notRead, mixed] };
  }
  const maxBytes = Math.max(0, budget.bytesLeft - HEAD_BYTES);
  const fresh = await readLog(deps, newer, { head, crash, maxBytes, deep: false });
  reads.chain(after + fresh.spentMs);
  const first: NotRead = {
    item: `first reading of ${old.plan.file}`,
    reason: 'gone',
    detail: `${restarted}; it was read again`,
  };
  return { ...fresh, notRead: [...fresh.notRead, first] };
}
