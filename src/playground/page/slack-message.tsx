import type { ReactNode } from 'react';
import { ActionsBlock, type OnAction } from './actions-block.tsx';
import type { Names, ShownMessage } from './shown-message.ts';
import { SlackBlock } from './slack-blocks.tsx';

type Props = {
  readonly message: ShownMessage;
  readonly names: Names;
  readonly onAction?: OnAction | undefined;
  /** Next to the time. */
  readonly marks?: ReactNode;
  /** Below the blocks. */
  readonly children?: ReactNode;
};

/** One message as Slack draws it. */
export function SlackMessage({ message, names, onAction, marks, children }: Props) {
  const { author, blocks, text, onlyFor, ts } = message;
  const shown = blocks.length > 0 || text === '' ? blocks : [{ type: 'section', text: { type: 'mrkdwn', text } }];
  return (
    <article className={author === undefined ? 'message' : 'message person'} data-ts={ts}>
      <div className="avatar" aria-hidden="true">
        {(author ?? 'oom').slice(0, author === undefined ? 3 : 2)}
      </div>
      <div className="body">
        <header>
          <strong>{author ?? 'oombot'}</strong> {author === undefined && <small>APP</small>}{' '}
          <time>{ts && clockOf(Number(ts) * 1000)}</time> {marks}
        </header>
        {onlyFor && <p className="only">Only visible to {onlyFor}</p>}
        <Blocks blocks={shown} names={names} onAction={onAction} />
        {children}
      </div>
    </article>
  );
}

type BlocksProps = Pick<Props, 'names' | 'onAction'> & { readonly blocks: ShownMessage['blocks'] };

/** Blocks one below the other; buttons and menus are ours, so that they can be used. */
export function Blocks({ blocks, names, onAction }: BlocksProps) {
  return blocks.map((block, at) =>
    block.type === 'actions' ? (
      <ActionsBlock key={String(block.block_id ?? at)} block={block} onAction={onAction} />
    ) : block.accessory !== undefined ? (
      <div className="row" key={String(block.block_id ?? at)}>
        <SlackBlock block={{ ...block, accessory: undefined }} names={names} />
        <ActionsBlock block={{ ...block, elements: [block.accessory] }} onAction={onAction} />
      </div>
    ) : (
      <SlackBlock key={String(block.block_id ?? at)} block={block} names={names} />
    ),
  );
}

/** `03:14`, in UTC as in the texts of the bot. */
export const clockOf = (ms: number): string => new Date(ms).toISOString().slice(11, 16);
