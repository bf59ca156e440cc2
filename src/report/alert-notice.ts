import type { Message } from '../model/message.ts';
import { clip, note, say } from './words/sentence.ts';

/** In the thread of an incident: alerts of it are resolved. `firing` are those that are not. */
export function alertsResolved(names: readonly string[], firing: number): Message {
  const all = [...new Set(names)];
  const what =
    all.length === 1 ? `Alert ${all[0]} is resolved` : `${all.length} alerts are resolved: ${all.join(', ')}`;
  const rest =
    firing === 0
      ? 'No alert of this incident is firing. It closes by itself if nothing fails and all pods stay ready.'
      : `${firing} ${firing === 1 ? 'alert of this incident is' : 'alerts of this incident are'} still firing.`;
  return say(firing === 0 ? 'ok' : 'info', `${clip(what, 250)}.`, [note(rest)]);
}
