import { useEffect, useState } from 'react';
import type { ChannelMessage, Deed, Feed, Outcome, ShownEntries } from './shown.ts';
import type { ShownView } from './shown-message.ts';

export type PageFeed = {
  readonly entries: ShownEntries | undefined;
  readonly isConnected: boolean;
  readonly messages: readonly ChannelMessage[];
  view(user: string): ShownView | undefined;
  home(user: string): readonly Record<string, unknown>[] | undefined;
};

/** What the server shows, kept up to date by its events; the browser connects again by itself. */
export function useFeed(): PageFeed {
  const [feed, setFeed] = useState<Feed>({});
  const [isConnected, setConnected] = useState(true);
  useEffect(() => {
    const source = new EventSource('/events');
    const take = (event: MessageEvent<string>, before: (feed: Feed) => Feed) => {
      const changes = JSON.parse(event.data) as Feed;
      setConnected(true);
      setFeed((feed) => withoutNulls({ ...before(feed), ...changes }));
    };
    source.addEventListener('all', (event) => take(event, () => ({})));
    source.addEventListener('change', (event) => take(event, (feed) => feed));
    source.onerror = () => setConnected(false);
    return () => source.close();
  }, []);
  const messages = Object.entries(feed).flatMap(([key, value]) =>
    key.startsWith('message/') ? [value as ChannelMessage] : [],
  );
  return {
    entries: feed.playground === undefined ? undefined : (feed as unknown as ShownEntries),
    isConnected,
    messages: messages.toSorted((a, b) => Number(a.ts) - Number(b.ts)),
    view: (user) => feed[`view/${user}`] as ShownView | undefined,
    home: (user) => feed[`home/${user}`] as ReturnType<PageFeed['home']>,
  };
}

function withoutNulls(feed: Feed): Feed {
  return Object.fromEntries(Object.entries(feed).filter(([, value]) => value !== null));
}

/** Does something in the playground; never rejects. */
export async function act(deed: Deed): Promise<Outcome> {
  try {
    const response = await fetch('/do', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(deed),
    });
    return (await response.json()) as Outcome;
  } catch {
    return { ok: false, says: 'The playground does not answer. Start it again with `npm run playground`.' };
  }
}
