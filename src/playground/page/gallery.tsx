import { createRoot } from 'react-dom/client';
import { Modal } from './modal.tsx';
import type { Gallery } from './shown-message.ts';
import { SlackMessage } from './slack-message.tsx';

const root = createRoot(document.body.appendChild(document.createElement('main')));
let shown = 0;

/** Draws these messages one below the other, or a dialog; the driver calls it and then takes a picture. */
function show({ messages, names, view }: Gallery): void {
  // A dialog that was opened on the one before is gone.
  shown += 1;
  root.render(
    <div key={shown}>
      {view === undefined ? (
        messages.map((message) => <SlackMessage key={message.id} message={message} names={names} />)
      ) : (
        <Modal view={view} names={names} onSubmit={async () => ({ ok: true })} onClose={() => undefined} />
      )}
    </div>,
  );
}

Object.assign(window, { show });
