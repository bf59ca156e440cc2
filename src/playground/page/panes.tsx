import { CallsView } from './calls-view.tsx';
import { Composer, MessageList } from './channel.tsx';
import { ClusterView } from './cluster-view.tsx';
import type { ChannelMessage, Deed, ShownEntries } from './shown.ts';
import { Blocks } from './slack-message.tsx';
import type { PageFeed } from './use-feed.ts';

export const VIEWS = ['channel', 'thread', 'cluster', 'home', 'calls'] as const;
export type View = (typeof VIEWS)[number];
export const TITLES: Readonly<Record<View, string>> = {
  channel: 'Channel',
  thread: 'Thread',
  cluster: 'Cluster',
  home: 'Home',
  calls: 'Calls',
};

export type Perform = (deed: Deed) => Promise<{ readonly ok: boolean }>;
export type Shared = {
  readonly feed: PageFeed;
  readonly entries: ShownEntries;
  readonly me: string;
  readonly perform: Perform;
};

/** What a click on a message does. */
export const actionsOf = (me: string, perform: Perform) => ({
  onAction: ({ ts }: ChannelMessage, action: Pick<Extract<Deed, { kind: 'click' }>, 'action' | 'block' | 'line'>) =>
    void perform({ kind: 'click', as: me, on: ts, ...action }),
  onTriage: ({ ts }: ChannelMessage) => void perform({ kind: 'triage', as: me, on: ts }),
});

/** What the third column shows: the cluster, the Home tab or the calls of the bot. */
export function Side({ view, feed, entries, me, perform }: Shared & { readonly view: View }) {
  const { playground, cluster, calls } = entries;
  const shown = view === 'channel' || view === 'thread' ? 'cluster' : view;
  return (
    <aside aria-label={TITLES[shown]}>
      <div hidden={shown !== 'cluster'}>
        <ClusterView
          key={playground.scenario}
          cluster={cluster}
          traffic={playground.traffic}
          onTraffic={(factor) => perform({ kind: 'traffic', factor })}
        />
      </div>
      {shown === 'calls' && <CallsView calls={calls} onFault={(fault) => perform({ kind: 'fault', fault })} />}
      {shown === 'home' && (
        <Blocks
          blocks={feed.home(me) ?? []}
          names={playground.names}
          onAction={(action) => void perform({ kind: 'click', as: me, on: 'home', ...action })}
        />
      )}
    </aside>
  );
}

type ThreadProps = Shared & { readonly thread: string | undefined; readonly onClose: () => void };

/** One thread, in a column of its own. */
export function Thread({ feed, entries, me, thread, perform, onClose }: ThreadProps) {
  if (thread === undefined) {
    return (
      <section className="thread-pane unused" aria-label="Thread">
        <p className="scroll muted">Open a thread with the replies below a message.</p>
      </section>
    );
  }
  const messages = feed.messages.filter(({ ts, threadTs }) => ts === thread || threadTs === thread);
  return (
    <section className="thread-pane" aria-label="Thread">
      <header>
        <h2>Thread</h2>
        <button type="button" className="close" aria-label="Close the thread" onClick={onClose}>
          ✕
        </button>
      </header>
      <div className="scroll">
        <MessageList
          label="Replies"
          messages={messages}
          all={[]}
          names={entries.playground.names}
          {...actionsOf(me, perform)}
        />
      </div>
      <Composer
        key={thread}
        label="Reply"
        suggestion=""
        onSend={async (text) => (await perform({ kind: 'type', as: me, text, thread })).ok}
      />
    </section>
  );
}
