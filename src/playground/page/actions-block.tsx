import { type ReactNode, useEffect, useRef, useState } from 'react';
import { createPortal } from 'react-dom';

type Text = { readonly text: string };
type Confirm = {
  readonly title: Text;
  readonly text: Text;
  readonly confirm: Text;
  readonly deny: Text;
  readonly style?: string;
};
type Element = {
  readonly type: string;
  readonly action_id: string;
  readonly text?: Text;
  readonly style?: string;
  readonly confirm?: Confirm;
  readonly options?: readonly { readonly text: Text; readonly value: string }[];
};

export type Action = {
  readonly action: string;
  readonly block?: string | undefined;
  readonly line?: string | undefined;
};
export type OnAction = (action: Action) => void;

type Props = { readonly block: Readonly<Record<string, unknown>>; readonly onAction: OnAction | undefined };

/** Buttons and menus of a message, with their confirm dialogs. */
export function ActionsBlock({ block, onAction }: Props) {
  const [asking, setAsking] = useState<Element>();
  const id = block.block_id === undefined ? undefined : String(block.block_id);
  const press = (element: Element, line?: string) => onAction?.({ action: element.action_id, block: id, line });
  return (
    <div className="actions">
      {(block.elements as readonly Element[]).map((element) =>
        element.type === 'overflow' ? (
          <Overflow key={element.action_id} element={element} choose={(line) => press(element, line)} />
        ) : (
          <button
            key={element.action_id}
            type="button"
            className={`slack-button ${element.style ?? ''}`}
            onClick={() => (element.confirm === undefined ? press(element) : setAsking(element))}
          >
            {element.text?.text}
          </button>
        ),
      )}
      {asking?.confirm && (
        <ConfirmDialog
          confirm={asking.confirm}
          onDone={(yes) => {
            setAsking(undefined);
            if (yes) press(asking);
          }}
        />
      )}
    </div>
  );
}

function Overflow({ element, choose }: { readonly element: Element; readonly choose: (line: string) => void }) {
  const [isOpen, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!isOpen) return;
    const away = (event: Event) => root.current?.contains(event.target as Node) || setOpen(false);
    const closeOnEscape = (event: KeyboardEvent) => event.key === 'Escape' && setOpen(false);
    document.addEventListener('pointerdown', away);
    document.addEventListener('keydown', closeOnEscape);
    return () => {
      document.removeEventListener('pointerdown', away);
      document.removeEventListener('keydown', closeOnEscape);
    };
  }, [isOpen]);
  return (
    <div className="overflow" ref={root}>
      <button
        type="button"
        className="slack-button"
        aria-label="More actions"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        ⋯
      </button>
      {isOpen && (
        <ul className="menu">
          {element.options?.map(({ text: { text } }) => (
            <li key={text}>
              <button
                type="button"
                onClick={() => {
                  setOpen(false);
                  choose(text);
                }}
              >
                {text}
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

type ConfirmProps = { readonly confirm: Confirm; readonly onDone: (yes: boolean) => void };

function ConfirmDialog({ confirm: { title, text, confirm, deny, style }, onDone }: ConfirmProps) {
  return (
    <Dialog title={title.text} onClose={() => onDone(false)}>
      <p>{text.text}</p>
      <footer>
        <button type="button" className="slack-button" onClick={() => onDone(false)}>
          {deny.text}
        </button>
        <button type="button" className={`slack-button ${style ?? 'primary'}`} onClick={() => onDone(true)}>
          {confirm.text}
        </button>
      </footer>
    </Dialog>
  );
}

type DialogProps = { readonly title: string; readonly onClose: () => void; readonly children: ReactNode };

/** A dialog that keeps the keyboard inside and that Escape closes. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  // Outside the panes, of which a phone shows one at a time.
  return createPortal(
    <dialog
      ref={dialog}
      aria-label={title}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <header>
        <h2>{title}</h2>
        <button type="button" className="close" aria-label="Close" onClick={onClose}>
          ✕
        </button>
      </header>
      {children}
    </dialog>,
    document.body,
  );
}
