import type { Citation } from '../../model/citation.ts';
import type { Group } from '../draft.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { citeHit } from '../evidence/weigh.ts';

// kubernetes/kubernetes pkg/kubelet/eviction/eviction_manager.go, emptyDirMessageFmt.
const OVERFLOW = /EmptyDir volume "([^"\s]{1,63})" exceeds the limit "([^"\s]{1,32})"/;

/** The volume that ran over its sizeLimit, and that limit, as the kubelet says it of the pod that it evicted. */
export function deriveEvictedVolume(evidence: Evidence): Group {
  for (const { text } of messagesIn(evidence)) {
    const [, name, limit] = OVERFLOW.exec(text) ?? [];
    if (name !== undefined && limit !== undefined) {
      return {};
    }
  }
  return {};
}

type Message = { readonly text: string; readonly from: Citation };

// Where people paste events into the log, its line is all there is.
function messagesIn({ pod, weighing }: Evidence): readonly Message[] {
  const told = [...pod.views.map(({ message }) => message), ...pod.events.map(({ message }) => message)];
  return [
    ...told.flatMap((message) => (message === undefined ? [] : [{ text: message.value, from: message.from }])),
    ...[...weighing.all, ...weighing.noted].map((weighed) => ({ text: weighed.hit.text, from: citeHit(weighed) })),
  ];
}
