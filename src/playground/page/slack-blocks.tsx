import { Component, type ReactNode } from 'react';
import { type Block, Message } from 'slack-blocks-to-jsx';
import type { Names } from './shown-message.ts';

// The one place that knows the renderer: what it draws badly or not at all is drawn by us or shown as JSON.
const NOT_DRAWN = new Set(['data_table']);

type AnyBlock = Readonly<Record<string, unknown>>;

/** One block, so that one that cannot be drawn shows its JSON and spares the others. */
export function SlackBlock({ block, names }: { readonly block: AnyBlock; readonly names: Names }) {
  if (NOT_DRAWN.has(String(block.type))) return <Undrawn block={block} />;
  const data = {
    users: Object.entries(names.users).map(([id, name]) => ({ id, name })),
    channels: [],
    user_groups: Object.entries(names.groups).map(([id, name]) => ({ id, name })),
  };
  return (
    <Guarded block={block}>
      <Message blocks={[parsed(block) as Block]} name="oombot" logo="" data={data} withoutWrapper />
    </Guarded>
  );
}

// Slack reads mentions and dates in verbatim text too; the renderer shows them raw.
function parsed(block: AnyBlock): unknown {
  return JSON.parse(JSON.stringify(block, (key, value) => (key === 'verbatim' ? undefined : value)));
}

class Guarded extends Component<{ readonly block: AnyBlock; readonly children: ReactNode }> {
  override state = { failed: false };

  static getDerivedStateFromError() {
    return { failed: true };
  }

  override render() {
    return this.state.failed ? <Undrawn block={this.props.block} /> : this.props.children;
  }
}

function Undrawn({ block }: { readonly block: AnyBlock }) {
  return (
    <pre className="undrawn">
      {String(block.type)}: {JSON.stringify(block, null, 1)}
    </pre>
  );
}
