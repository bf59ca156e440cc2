import { useEffect, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { Dialog } from './actions-block.tsx';
import { Composer, MessageList } from './channel.tsx';
import { Header, ScenarioList } from './header.tsx';
import { Modal } from './modal.tsx';
import { actionsOf, type Shared, Side, Thread, TITLES, VIEWS, type View } from './panes.tsx';
import type { Deed } from './shown.ts';
import { useTheme } from './theme.ts';
import { act, useFeed } from './use-feed.ts';

const COMMANDS = ['/oom status', '/oom changes', '/oom handover', '/oom help'];

const isNarrow = () => matchMedia('(max-width: 820px)').matches;

function Playground() {
  const feed = useFeed();
  const [theme, switchTheme] = useTheme();
  const [me, setMe] = useState('U_ONCALL');
  const [view, setView] = useState<View>('channel');
  const [thread, setThread] = useState<string>();
  const [isChoosing, setChoosing] = useState(false);
  const [flaw, setFlaw] = useState('');
  const { entries } = feed;
  const scenario = entries?.playground.scenario;
  useEffect(() => {
    if (scenario !== undefined) setThread(undefined);
  }, [scenario]);
  if (entries === undefined) return <p className="starting">Starting…</p>;
  const { playground } = entries;
  const perform = async (deed: Deed) => {
    const outcome = await act(deed);
    setFlaw(!outcome.ok && 'says' in outcome ? outcome.says : '');
    return outcome;
  };
  const choose = (name: string) => {
    setChoosing(false);
    setView('channel');
    void perform({ kind: 'scenario', name });
  };
  const open = (next: View) => {
    setView(next);
    if (next === 'home') void perform({ kind: 'home', as: me });
  };
  const openThread = (ts: string) => {
    setThread(ts);
    if (isNarrow()) setView('thread');
  };
  const closeThread = () => {
    setThread(undefined);
    setView('channel');
  };
  const modal = feed.view(me);
  const shared: Shared = { feed, entries, me, perform };
  return (
    <div className={`page shows-${view} ${thread === undefined ? '' : 'has-thread'}`}>
      <Header
        entries={entries}
        theme={theme}
        onTheme={switchTheme}
        onScenarios={() => setChoosing(true)}
        onSpeed={(speed) => perform({ kind: 'speed', speed })}
        onBot={(what) => perform({ kind: 'bot', what })}
      />
      <News entries={entries} isConnected={feed.isConnected} flaw={flaw} onSeen={() => setFlaw('')} />
      <Tabs view={view} onOpen={open} />
      <Place {...shared} onChoose={choose} onMe={setMe} onThread={openThread} />
      <Thread {...shared} thread={thread} onClose={closeThread} />
      <Side {...shared} view={view} />
      {modal && (
        <Modal
          key={modal.id}
          view={modal}
          names={playground.names}
          onSubmit={(values) => act({ kind: 'submit', as: me, view: modal.id, values })}
          onClose={() => perform({ kind: 'dismiss', as: me })}
        />
      )}
      {isChoosing && (
        <Dialog title="Incidents to try" onClose={() => setChoosing(false)}>
          <ScenarioList playground={playground} onChoose={choose} />
        </Dialog>
      )}
    </div>
  );
}

function Tabs({ view, onOpen }: { readonly view: View; readonly onOpen: (view: View) => void }) {
  return (
    <nav aria-label="Views">
      {VIEWS.map((one) => (
        <button key={one} type="button" className={one} aria-current={view === one} onClick={() => onOpen(one)}>
          {TITLES[one]}
        </button>
      ))}
    </nav>
  );
}

type NewsProps = Pick<Shared, 'entries'> & {
  readonly isConnected: boolean;
  readonly flaw: string;
  readonly onSeen: () => void;
};

function News({ entries, isConnected, flaw, onSeen }: NewsProps) {
  const [seen, setSeen] = useState(0);
  const news = entries.news.filter(({ id }) => id > seen).at(-1);
  if (!isConnected) {
    return (
      <p className="news error" role="alert">
        The playground does not answer. Start it again with <code>npm run playground</code>; this page comes back by
        itself.
      </p>
    );
  }
  const says = flaw || news?.says;
  if (!says) return null;
  return (
    <p className={`news ${flaw ? 'error' : news?.level}`} role="alert">
      <span>{says}</span>
      <button
        type="button"
        aria-label="Dismiss"
        onClick={() => {
          onSeen();
          if (news !== undefined) setSeen(news.id);
        }}
      >
        ✕
      </button>
    </p>
  );
}

type PlaceProps = Shared & {
  readonly onChoose: (name: string) => void;
  readonly onMe: (user: string) => void;
  readonly onThread: (ts: string) => void;
};

function Place({ feed, entries, me, perform, onChoose, onMe, onThread }: PlaceProps) {
  const { playground } = entries;
  const mine = feed.messages.filter(({ onlyFor }) => onlyFor === undefined || onlyFor === me);
  const messages = mine.filter(({ threadTs }) => threadTs === undefined);
  const actions = actionsOf(me, perform);
  return (
    <main>
      <div className="scroll" tabIndex={-1}>
        <h2>#{playground.channel}</h2>
        {messages.length === 0 && (
          <section className="welcome">
            <p>
              <strong>{playground.scenario}</strong> is running: {playground.says} Send the command below, then use the
              buttons. Approve as <em>approver</em>.
            </p>
            <h3>Incidents to try</h3>
            <ScenarioList playground={playground} onChoose={onChoose} />
          </section>
        )}
        <MessageList
          label="Messages"
          messages={messages}
          all={mine}
          names={playground.names}
          onThread={onThread}
          {...actions}
          onAction={(message, action) => {
            actions.onAction(message, action);
            // What comes of it is said in the thread.
            if (message.onlyFor === undefined && !isNarrow()) onThread(message.ts);
          }}
        />
      </div>
      <fieldset className="people">
        <legend>Acting as</legend>
        {playground.people.map(({ id, name, role }) => (
          <label key={id} title={id}>
            <input type="radio" name="me" checked={me === id} onChange={() => onMe(id)} /> {name}
            <span className="wide muted"> {role === name ? '' : role}</span>
          </label>
        ))}
      </fieldset>
      <Composer
        key={playground.scenario}
        label={`Message #${playground.channel}`}
        suggestion={playground.suggestion}
        more={COMMANDS}
        onSend={async (text) => (await perform({ kind: 'type', as: me, text })).ok}
      />
    </main>
  );
}

createRoot(document.body.appendChild(document.createElement('div'))).render(<Playground />);
