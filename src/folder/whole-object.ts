import { z } from 'zod';
import { parseJson } from '../model/json-file.ts';
import { itemsOf } from './kubernetes-objects.ts';

const Envelope = z.looseObject({ type: z.string(), object: z.record(z.string(), z.unknown()) });
// What people cut out of `kubectl get pod -o yaml`: the part of a pod to which each key belongs.
const PART_OF_KEY: Readonly<Record<string, 'status' | 'spec'>> = {
  containerStatuses: 'status',
  initContainerStatuses: 'status',
  conditions: 'status',
  containers: 'spec',
};

/**
 * The one object that a text holds, as JSON: that of a list of one, that of the last event of a watch, or a pod around a
 * fragment of its status or spec. Every other text as it is.
 */
export function wholeObject(json: string): string {
  const value = parseJson(json) ?? lastEvent(json);
  const object = Envelope.safeParse(value).data?.object ?? value;
  const items = itemsOf(object);
  const whole = items?.length === 1 ? items[0] : aroundFragment(object);
  return whole === undefined || whole === value ? json : JSON.stringify(whole, null, 2);
}

// A watch prints one event per line, each with the object as it then was.
function lastEvent(text: string): unknown {
  if (!/^\s{0,8}\{"type":/.test(text)) return undefined;
  return text
    .split('\n')
    .map((line) => Envelope.safeParse(parseJson(line)).data)
    .findLast((event) => event !== undefined);
}

function aroundFragment(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || 'kind' in value) return value;
  const entries = Object.entries(value);
  const [first] = entries.map(([key]) => PART_OF_KEY[key]).filter((part) => part !== undefined);
  return first === undefined ? value : { [first]: value };
}
