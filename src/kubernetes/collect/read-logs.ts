import type { Pod } from '../../model/kubernetes.ts';
import type { LogRead, NotRead } from '../../model/snapshot.ts';
import { type LogPlan, type LogPlans, planLog } from '../logs/plan-logs.ts';
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
const FIRST_SHARE = 0.7;

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
  const parts = count < 2 ? [1] : [FIRST_SHARE, 1 - FIRST_SHARE];
  return parts.map((part) => Math.min(MAX_CRASH_BYTES, Math.floor(room * part)));
}

type Reread = { readonly outcomes: readonly LogOutcome[]; readonly changed: boolean };

async function reread(input: LogsInput, first: readonly LogOutcome[], again: PodRead | undefined): Promise<Reread> {
  if (again === undefined) return { outcomes: first, changed: false };
  const checked = first.map((outcome) => ({ outcome, newer: newerPlan(outcome.plan, again.pod) }));
  const outcomes = await Promise.all(
    checked.map(({ outcome, newer }) =>
      newer === undefined ? outcome : readNewer(input, outcome, { newer, after: again.after }),
    ),
  );
  return { outcomes, changed: checked.some(({ newer }) => newer !== undefined) };
}

// The same instance may have moved from `state` to `lastState`: then another flag reads it.
function newerPlan(plan: LogPlan, pod: Pod): LogPlan | undefined {
  const now = planLog(pod, plan.container);
  if (now === undefined) return undefined;
  return now.previous === plan.previous && now.instance === plan.instance ? undefined : now;
}

async function readNewer(
  { deps, reads }: LogsInput,
  old: LogOutcome,
  { newer, after }: { newer: LogPlan; after: number },
): Promise<LogOutcome> {
  const { budget } = deps.context;
  const head = budget.take('log');
  const crash = head && budget.take('log');
  const restarted = `the container ${old.plan.container} restarted while its log was read`;
  if (!head) {
    const mixed: NotRead = {
      item: old.plan.file,
      reason: 'budget',
      detail: `${restarted}; no calls were left to read it again`,
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
