import type { PortHandler, PortRequest } from '../app/http-ports.ts';
import type { Meters } from '../app/meter-ports.ts';
import type { Log } from '../app/ports.ts';
import type { Alert } from '../model/alert.ts';
import { isAuthorized, type WebhookAuth } from './credentials.ts';
import { readPayload } from './payload.ts';

type WebhookOptions = {
  readonly auth: WebhookAuth;
  /** Ends once the alerts are stored; rejects where they are not. */
  readonly take: (alerts: readonly Alert[]) => Promise<void>;
  readonly meters: Pick<Meters, 'count'>;
  readonly log: Log;
};

type Reason = 'not-found' | 'too-many' | 'unauthorized' | 'too-large' | 'not-alerts' | 'store-failed' | 'cut-off';

type Answer = { readonly status: number; readonly refused?: Reason };

/**
 * Answers what Alertmanager sends to `POST /v1/alerts`. 200 means that the alerts are stored. Alertmanager sends again what
 * was answered with 5xx, and drops what was answered with 4xx.
 */
export function createWebhook(options: WebhookOptions): PortHandler {
  const { meters, log } = options;
  return async (request) => {
    const { status, refused } = await answerTo(options, request);
    if (refused !== undefined) {
      meters.count('oombot_alert_requests_refused_total', { reason: refused });
      log.warn('alerts refused', { status, why: refused });
    }
    return { status, type: 'text/plain', body: `${refused ?? 'ok'}\n` };
  };
}

async function answerTo({ auth, take, meters, log }: WebhookOptions, request: PortRequest): Promise<Answer> {
  if (request.method !== 'POST' || request.path !== '/v1/alerts') return { status: 404, refused: 'not-found' };
  // 503 and not 429, after which Alertmanager would not try again.
  if (!request.isInRate()) return { status: 503, refused: 'too-many' };
  if (!isAuthorized(auth, request.authorization)) return { status: 401, refused: 'unauthorized' };
  const body = await request.readBody();
  if (body.kind !== 'text') return { status: body.kind === 'too-large' ? 413 : 400, refused: body.kind };
  const read = readPayload(body.text);
  if (read.kind === 'bad') return { status: 400, refused: 'not-alerts' };
  if (read.unreadable > 0) {
    meters.count('oombot_alerts_total', { result: 'unreadable' }, read.unreadable);
    log.warn('alerts not readable', { count: read.unreadable, of: read.unreadable + read.alerts.length });
  }
  try {
    await take(read.alerts);
    return { status: 200 };
  } catch (error) {
    log.error('alerts not stored', { error });
    return { status: 503, refused: 'store-failed' };
  }
}
