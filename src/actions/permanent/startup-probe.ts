import { valueAt } from '../../model/json-patch.ts';
import { isMap, setField } from '../change.ts';
import type { FixPart } from './container-changes.ts';
import type { Manifest } from './manifest.ts';

/** How long a start took; `isWhole` false where it was cut off, so that it takes longer. */
export type MeasuredStart = { readonly seconds: number; readonly isWhole: boolean };

// A cold node pulls and loads more slowly than the start that was measured; one that was cut off shows only a part.
const OF_WHOLE = 2;
const OF_PART = 3;
const PERIOD_SEC = 10;
const HANDLERS = ['httpGet', 'tcpSocket', 'exec', 'grpc'];

/** A startup probe that lasts twice the measured start, or three times one that was cut off. Undefined without a probe to copy, or where it lasts already. */
export function startupProbePart(
  { container }: Extract<Manifest, { kind: 'manifest' }>,
  { seconds, isWhole }: MeasuredStart,
): FixPart | undefined {
  const { object, path, value } = container;
  const own = valueAt(value, '/startupProbe');
  const source = isMap(own) ? own : valueAt(value, '/livenessProbe');
  if (!isMap(source)) return undefined;
  const periodSeconds = isMap(own) && typeof own.periodSeconds === 'number' ? own.periodSeconds : PERIOD_SEC;
  const failureThreshold = Math.ceil((seconds * (isWhole ? OF_WHOLE : OF_PART)) / periodSeconds);
  const lasts = isMap(own) && typeof own.failureThreshold === 'number' ? own.failureThreshold : 3;
  if (isMap(own) && lasts >= failureThreshold) return undefined;
  const handler = Object.fromEntries(Object.entries(source).filter(([key]) => HANDLERS.includes(key)));
  if (Object.keys(handler).length === 0) return undefined;
  const at = `${path}/startupProbe`;
  const change = isMap(own)
    ? setField(object, `${at}/failureThreshold`, failureThreshold)
    : setField(object, at, { ...handler, periodSeconds, failureThreshold });
  const from = isMap(own) ? String(lasts) : null;
  const label = `startupProbe.failureThreshold (every ${periodSeconds} s)`;
  return { values: [{ label, from, to: String(failureThreshold) }], change, says: undefined };
}
