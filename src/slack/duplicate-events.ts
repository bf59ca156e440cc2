import { z } from 'zod';
import { createBoundedMap } from './api/bounded-map.ts';

const Keys = z.object({ event_id: z.string().optional(), trigger_id: z.string().optional() });
const FORGET_MS = 15 * 60_000;

/**
 * Tells whether a delivery came before. Slack repeats events (0, 1 and 5 minutes apart) with the same event_id; a click or
 * command that comes twice bears the same trigger_id.
 */
export function createDuplicateFilter(now: () => number): (body: unknown) => boolean {
  const seen = createBoundedMap<number>(5000);
  return (body) => {
    const keys = Keys.safeParse(body);
    const key = keys.success ? (keys.data.event_id ?? keys.data.trigger_id) : undefined;
    if (key === undefined) return false;
    const before = seen.get(key);
    if (before !== undefined && now() - before < FORGET_MS) return true;
    seen.set(key, now());
    return false;
  };
}
