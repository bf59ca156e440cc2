import { type FormEvent, useEffect, useRef, useState } from 'react';
import type { Action } from './actions-block.tsx';
import type { ChannelMessage, ShownEntries } from './shown.ts';
import { SlackMessage } from './slack-message.tsx';

const LIMITS = 'Slack allows 50 blocks and about 13,200 characters in a message';

export type MessageActions = {
  readonly onAction: (message: ChannelMessage, action: Action) => void;
  readonly onThread?: (ts: string) => void;
  readonly onTriage: (message: ChannelMessage) => void;
};

type ListProps = MessageActions & {
  readonly messages: readonly ChannelMessage[];
  readonly all: readonly ChannelMessage[];
  readonly names: ShownEntries['playground']['names'];
  readonly label: string;
};

// How many of the newest messages are looked through for buttons.
const RECENT = 3;

/** Messages one below the other. A new one comes into sight, or one with buttons just before it. */
export function MessageList({ messages, all, names, label, ...actions }: ListProps) {
  const list = useRef<HTMLDivElement>(null);
  const count = messages.length;
  useEffect(() => {
    const recent = [...(list.current?.children ?? [])].slice(0, count).slice(-RECENT);
    const asking = recent.findLast((message) => message.querySelector('.actions') !== null);
    if (asking !== undefined && asking !== recent.at(-1)) asking.scrollIntoView({ block: 'start' });
    else recent.at(-1)?.scrollIntoView({ block: 'end' });
  }, [count]);
  return (
    <div ref={list} role="log" aria-label={label} className="messages">
      {messages.map((message) => (
        <OneMessage key={message.ts} message={message} replies={repliesTo(all, message)} names={names} {...actions} />
      ))}
    </div>
  );
}

const repliesTo = (all: readonly ChannelMessage[], { ts }: ChannelMessage) =>
  all.filter(({ threadTs }) => threadTs === ts).length;

type OneProps = MessageActions & {
  readonly message: ChannelMessage;
  readonly replies: number;
  readonly names: ListProps['names'];
};

function OneMessage({ message, replies, names, onAction, onThread, onTriage }: OneProps) {
  const { counts, file, isEdited, onlyFor, text, user } = message;
  const isBot = names.users[user] === 'oombot';
  const shown = {
    ...message,
    author: isBot ? undefined : names.users[user],
    onlyFor: onlyFor === undefined ? undefined : 'you',
  };
  const marks = (
    <>
      {isEdited && <span className="muted">(edited)</span>}{' '}
      {isBot && counts && counts.blocks > 0 && (
        <span className="counts" title={LIMITS}>
          {counts.blocks} blocks · {counts.characters.toLocaleString('en')} chars
        </span>
      )}
    </>
  );
  return (
    <SlackMessage message={shown} names={names} marks={marks} onAction={(action) => onAction(message, action)}>
      {file && (
        <a className="file" href={file.href} download={file.name}>
          📄 <span>{file.title}</span> <span className="muted">{(file.bytes / 1024).toFixed(1)} kB</span>
        </a>
      )}
      {replies > 0 && onThread && (
        <button type="button" className="replies" onClick={() => onThread(message.ts)}>
          {replies} {replies === 1 ? 'reply' : 'replies'}
        </button>
      )}
      {!isBot && text !== '' && (
        <button type="button" className="replies" onClick={() => onTriage(message)}>
          Triage OOM
        </button>
      )}
    </SlackMessage>
  );
}

type ComposerProps = {
  readonly label: string;
  readonly suggestion: string;
  readonly more?: readonly string[];
  /** Answers whether it was sent. */
  readonly onSend: (text: string) => Promise<boolean>;
};

/** The line to type in. */
export function Composer({ label, suggestion, more = [], onSend }: ComposerProps) {
  const [text, setText] = useState(suggestion);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => setText(suggestion), [suggestion]);
  const send = async (event: FormEvent) => {
    event.preventDefault();
    if (text.trim() !== '' && (await onSend(text))) setText('');
  };
  const fill = (words: string) => {
    setText(words);
    input.current?.focus();
  };
  return (
    <div className="composer">
      {more.length > 0 && (
        <div className="chips">
          {[suggestion, ...more].map((words) => (
            <button key={words} type="button" onClick={() => fill(words)}>
              {words}
            </button>
          ))}
        </div>
      )}
      <form onSubmit={send}>
        <input
          ref={input}
          aria-label={label}
          placeholder={label}
          value={text}
          onChange={(event) => setText(event.target.value)}
          autoComplete="off"
          spellCheck={false}
        />
        <button type="submit" className="slack-button primary">
          Send
        </button>
      </form>
    </div>
  );
}
