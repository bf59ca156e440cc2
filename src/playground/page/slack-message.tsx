import { Component, type ReactNode } from 'react';
import { type Block, Message } from 'slack-blocks-to-jsx';
import type { Gallery, ShownMessage } from './shown-message.ts';

// What the renderer draws as nothing.
const NOT_DRAWN = new Set(['data_table']);

/** One message of the bot, block by block, so that a block that cannot be drawn shows its JSON and spares the others. */
export function SlackMessage({ message, names }: { readonly message: ShownMessage; readonly names: Gallery['names'] }) {
  const blocks =
    message.blocks.length > 0 ? message.blocks : [{ type: 'section', text: { type: 'mrkdwn', text: message.text } }];
  return (
    <article className="message">
      <div className="avatar" aria-hidden="true">
        oom
      </div>
      <div className="body">
        <header>
          <strong>oombot</strong> <small>APP</small> <time>{message.ts && clockOf(message.ts)}</time>
        </header>
        {message.onlyFor && <p className="only">Only visible to {message.onlyFor}</p>}
        {blocks.map((block, at) => (
          <Guarded key={String(block.block_id ?? at)} block={block}>
            <OneBlock block={block} names={names} />
          </Guarded>
        ))}
      </div>
    </article>
  );
}

function OneBlock({ block, names }: { readonly block: Record<string, unknown>; readonly names: Gallery['names'] }) {
  if (NOT_DRAWN.has(String(block.type))) return <Undrawn block={block} />;
  const data = {
    users: Object.entries(names.users).map(([id, name]) => ({ id, name })),
    channels: [],
    user_groups: Object.entries(names.groups).map(([id, name]) => ({ id, name })),
  };
  return <Message blocks={[parsed(block) as Block]} name="oombot" logo="" data={data} withoutWrapper />;
}

// Slack reads mentions and dates in verbatim text too; the renderer shows them raw.
function parsed(block: Record<string, unknown>): unknown {
  return JSON.parse(JSON.stringify(block, (key, value) => (key === 'verbatim' ? undefined : value)));
}

class Guarded extends Component<{ readonly block: Record<string, unknown>; readonly children: ReactNode }> {
  override state = { failed: false };

  static getDerivedStateFromError() {
    return { failed: true };
  }

  override render() {
    return this.state.failed ? <Undrawn block={this.props.block} /> : this.props.children;
  }
}

function Undrawn({ block }: { readonly block: Record<string, unknown> }) {
  return (
    <pre className="undrawn">
      {String(block.type)}: {JSON.stringify(block, null, 1)}
    </pre>
  );
}

const clockOf = (ts: string): string => new Date(Number(ts) * 1000).toISOString().slice(11, 16);
