import type { Request } from '../engine/scheduler.ts';
import { NO_TRAFFIC, type TrafficShape } from '../engine/traffic.ts';

/** Requests of one service as they arrive, always the same for the same shape. */
export type Traffic = {
  shape: TrafficShape;
  /** Requests that arrive in the second before `now`. */
  second(now: number, factor: number): readonly Request[];
};

const LONG_EVERY = 100;

export function createTraffic(shape: TrafficShape = NO_TRAFFIC): Traffic {
  let owed = 0;
  let count = 0;
  let seed = 1;
  // A linear congruential generator, so that a run can be repeated.
  const between = (low: number, high: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return low + ((high - low) * seed) / 2 ** 31;
  };
  const traffic: Traffic = {
    shape,
    second(now, factor) {
      owed += traffic.shape.requestsPerSecond * factor;
      const arriving: Request[] = [];
      for (; owed >= 1; owed -= 1) {
        count += 1;
        arriving.push(request(traffic.shape, { isLong: count % LONG_EVERY === 0, between, now }));
      }
      return arriving;
    },
  };
  return traffic;
}

type Draw = { readonly isLong: boolean; readonly between: (low: number, high: number) => number; readonly now: number };

function request(shape: TrafficShape, { isLong, between, now }: Draw): Request {
  const prompt = Math.round(isLong ? shape.longPromptTokens : shape.promptTokens * between(0.5, 1.5));
  return {
    prompt,
    shared: Math.floor(prompt * (shape.sharedPrefix ?? 0)),
    output: Math.max(1, Math.round(shape.outputTokens * between(0.5, 1.5))),
    images: shape.images ?? 0,
    promptLogprobs: shape.promptLogprobs ?? false,
    arrivedAt: now,
  };
}
