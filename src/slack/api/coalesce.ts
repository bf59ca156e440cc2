import type { Clock } from '../../app/ports.ts';

type Sent<S, R> = { readonly state: S; readonly result: R };

type CoalescerOptions<S, R> = {
  readonly clock: Clock;
  /** Least time between two sendings of one key. */
  readonly intervalMs: number;
  /** Sends a state and must not reject. `newest` gives the state of that moment, so that a retry after a wait sends no old one. */
  readonly send: (newest: () => S) => Promise<R>;
  /** True where what was sent last needs no sending again. */
  readonly stands: (last: Sent<S, R>, state: S) => boolean;
};

type Coalescer<S, R> = {
  /** Tells the newest state. Resolves when it, or a newer one, has been sent. `urgent` does not wait for the interval. */
  update(key: string, state: S, urgent?: boolean): Promise<R>;
  /** Records the current state, so that it is not sent again. */
  note(key: string, sent: Sent<S, R>): void;
};

type Slot<S, R> = {
  last?: Sent<S, R> & { readonly at: number };
  wanted?: { readonly state: S };
  waiters: ((result: R) => void)[];
  running?: Promise<void>;
  hurry: AbortController;
};

const REMEMBERED = 500;

/** Gathers quick changes of one thing: at most one sending per interval and key, only of what changed, the last state always. */
export function createCoalescer<S, R>(options: CoalescerOptions<S, R>): Coalescer<S, R> {
  const slots = new Map<string, Slot<S, R>>();

  const slotOf = (key: string): Slot<S, R> => {
    const slot = slots.get(key) ?? { waiters: [], hurry: new AbortController() };
    // Deleted and set again, so that the map is in order of use.
    slots.delete(key);
    slots.set(key, slot);
    if (slots.size > REMEMBERED) forgetOldest(slots, slot);
    return slot;
  };

  return {
    update(key, state, urgent = false) {
      const slot = slotOf(key);
      slot.wanted = { state };
      const result = new Promise<R>((resolve) => slot.waiters.push(resolve));
      if (urgent) slot.hurry.abort();
      slot.running ??= drain(slot, options);
      return result;
    },
    note(key, sent) {
      slotOf(key).last = { ...sent, at: options.clock.monotonic() };
    },
  };
}

async function drain<S, R>(slot: Slot<S, R>, options: CoalescerOptions<S, R>): Promise<void> {
  // Lets what is told in the same turn come in before the first state is taken.
  await Promise.resolve();
  while (slot.wanted !== undefined) {
    const stands = slot.last !== undefined && options.stands(slot.last, slot.wanted.state);
    if (!stands) await waitForTurn(slot, options);
    const result = await sendNewest(slot, slot.wanted.state, options);
    if (slot.wanted !== undefined) continue;
    for (const resolve of slot.waiters.splice(0)) resolve(result);
  }
  slot.running = undefined;
}

async function sendNewest<S, R>(slot: Slot<S, R>, first: S, options: CoalescerOptions<S, R>): Promise<R> {
  let state = first;
  const newest = (): S => {
    state = slot.wanted?.state ?? state;
    slot.wanted = undefined;
    return state;
  };
  slot.hurry = new AbortController();
  const { last } = slot;
  if (last !== undefined && options.stands(last, newest())) return last.result;
  const result = await options.send(newest);
  slot.last = { state, result, at: options.clock.monotonic() };
  return result;
}

async function waitForTurn<S, R>(slot: Slot<S, R>, { clock, intervalMs }: CoalescerOptions<S, R>): Promise<void> {
  const wait = slot.last === undefined ? 0 : slot.last.at + intervalMs - clock.monotonic();
  if (wait <= 0 || slot.hurry.signal.aborted) return;
  await clock.sleep(wait, slot.hurry.signal).catch(() => undefined);
}

function forgetOldest<S, R>(slots: Map<string, Slot<S, R>>, keep: Slot<S, R>): void {
  for (const [key, slot] of slots) {
    if (slot === keep || slot.running !== undefined) continue;
    slots.delete(key);
    return;
  }
}
