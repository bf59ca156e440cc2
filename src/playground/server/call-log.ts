import type { ApiRequest } from '../../standins/api-server/objects/request.ts';
import type { RecordedCall, RecordedDelivery } from '../../standins/slack/state.ts';
import type { ShownCall } from '../page/shown.ts';
import type { Stage } from './stage.ts';

const MOST = 200;

type Entry = { readonly id: number; readonly at: number; readonly show: () => Omit<ShownCall, 'id' | 'at'> };

/** The newest calls between the bot, Slack and the cluster, in their order. */
export function createCallLog({ cluster, slack }: Stage): () => readonly ShownCall[] {
  const entries: Entry[] = [];
  let last = 0;
  let seen = { calls: 0, deliveries: 0 };
  const add = (at: number, show: Entry['show']): void => {
    last += 1;
    entries.push({ id: last, at, show });
    if (entries.length > MOST) entries.shift();
  };
  const take = (): void => {
    const { calls, deliveries } = slack.state;
    for (const call of calls.slice(seen.calls)) add(call.at, () => fromCall(call));
    for (const delivery of deliveries.slice(seen.deliveries)) add(delivery.at, () => fromDelivery(delivery));
    seen = { calls: calls.length, deliveries: deliveries.length };
  };
  const { api } = cluster;
  slack.subscribe(take);
  // Of the bot alone, which kubectl at the same cluster is not.
  api.onRequest = (request) => {
    if (/oombot/.test(request.userAgent)) add(cluster.clock.now(), () => fromRequest(request));
  };
  return () => entries.map(({ id, at, show }) => ({ id, at, ...show() }));
}

function fromCall({ method, answer, args, status }: RecordedCall): Omit<ShownCall, 'id' | 'at'> {
  const place = args.ts ?? args.thread_ts ?? args.channel ?? args.user_id ?? args.filename;
  const what = place === undefined ? method : `${method} ${String(place)}`;
  return { kind: 'to Slack', what, answer, failed: answer !== 'ok' || status >= 400 };
}

function fromDelivery({ what, user, status, ms }: RecordedDelivery): Omit<ShownCall, 'id' | 'at'> {
  const answer = status === 200 ? 'ack' : status === 0 ? 'no ack' : `HTTP ${status}`;
  return { kind: 'from Slack', what: `${what} (${user})`, answer, failed: status !== 200, ackMs: Math.round(ms) };
}

function fromRequest({ method, path, status, query }: ApiRequest): Omit<ShownCall, 'id' | 'at'> {
  const dryRun = query.dryRun === undefined ? '' : ' (dry run)';
  return {
    kind: 'to cluster',
    what: `${method} ${path.replace(/^\/apis?\//, '')}${dryRun}`,
    answer: status === 0 ? '…' : String(status),
    failed: status >= 400,
  };
}
