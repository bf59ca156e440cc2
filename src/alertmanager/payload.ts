import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Alert } from '../model/alert.ts';
import { parseJson } from '../model/json-file.ts';

const Label = z.string().max(1000).optional();
// However many an alert has, these are read.
const Labels = z.object({
  ...{ alertname: Label, cluster: Label, workload: Label },
  ...{ namespace: Label, exported_namespace: Label, pod: Label, exported_pod: Label },
});

const Sent = z.looseObject({
  status: z.enum(['firing', 'resolved']),
  labels: z.record(z.string(), z.unknown()),
  startsAt: z.iso.datetime({ offset: true }),
  fingerprint: z.string().max(100).optional(),
});

/** The body of Alertmanager's webhook, version 4; what one alert looks like is judged one by one. */
const Payload = z.looseObject({ version: z.literal('4'), alerts: z.array(z.unknown()) });

export type PayloadRead =
  | { readonly kind: 'read'; readonly alerts: readonly Alert[]; readonly unreadable: number }
  | { readonly kind: 'bad' };

/** The alerts in a body, and how many of them are none. Never throws. */
export function readPayload(text: string): PayloadRead {
  const payload = Payload.safeParse(parseJson(text));
  if (!payload.success) return { kind: 'bad' };
  const alerts = payload.data.alerts.flatMap((one): readonly Alert[] => {
    const { success, data } = Sent.safeParse(one);
    if (!success) return [];
    const { status, startsAt, fingerprint = fingerprintOf(data.labels) } = data;
    const labels = Labels.safeParse(data.labels).data;
    if (labels === undefined) return [];
    const key = `${fingerprint}/${startsAt}`;
    return [{ key, name: labels.alertname ?? 'unnamed', status, labels, startsAt: Date.parse(startsAt) }];
  });
  return { kind: 'read', alerts, unreadable: payload.data.alerts.length - alerts.length };
}

// Alertmanager before 0.16 sends none.
function fingerprintOf(labels: Readonly<Record<string, unknown>>): string {
  return createHash('sha256')
    .update(JSON.stringify(Object.entries(labels).sort()))
    .digest('hex')
    .slice(0, 16);
}
