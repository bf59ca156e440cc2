import { createRoot } from 'react-dom/client';
import type { Gallery } from './shown-message.ts';
import { SlackMessage } from './slack-message.tsx';

const root = createRoot(document.body.appendChild(document.createElement('main')));

/** Draws these messages one below the other; the driver calls it and then takes a picture. */
function show({ messages, names }: Gallery): void {
  root.render(messages.map((message) => <SlackMessage key={message.id} message={message} names={names} />));
}

Object.assign(window, { show });
