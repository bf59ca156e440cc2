import { type FormEvent, useState } from 'react';
import { Dialog } from './actions-block.tsx';
import type { Outcome } from './shown.ts';
import type { Names, ShownView } from './shown-message.ts';
import { SlackBlock } from './slack-blocks.tsx';

type Option = { readonly text: { readonly text: string }; readonly value: string };
type InputBlock = {
  readonly block_id: string;
  readonly label: { readonly text: string };
  readonly hint?: { readonly text: string };
  readonly optional?: boolean;
  readonly element: {
    readonly type: string;
    readonly initial_value?: string;
    readonly max_length?: number;
    readonly option_groups?: readonly {
      readonly label: { readonly text: string };
      readonly options: readonly Option[];
    }[];
  };
};

type Props = {
  readonly view: ShownView;
  readonly names: Names;
  readonly onSubmit: (values: Record<string, string>) => Promise<Outcome>;
  readonly onClose: () => void;
};

/** A modal with its fields; the errors of a refused form are below them. */
export function Modal({ view, names, onSubmit, onClose }: Props) {
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({});
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const values = Object.fromEntries([...new FormData(event.currentTarget)].map(([id, value]) => [id, String(value)]));
    const missing = missingOf(view, values);
    setErrors(missing);
    if (Object.keys(missing).length > 0) return;
    setBusy(true);
    const outcome = await onSubmit(values);
    setBusy(false);
    if (!outcome.ok) setErrors('errors' in outcome ? outcome.errors : { '': outcome.says });
  };
  return (
    <Dialog title={view.title} onClose={onClose}>
      <form onSubmit={submit} noValidate>
        {view.blocks.map((block, at) =>
          block.type === 'input' ? (
            <Field
              key={String(block.block_id)}
              block={block as unknown as InputBlock}
              error={errors[String(block.block_id)]}
            />
          ) : (
            <SlackBlock key={String(block.block_id ?? at)} block={block} names={names} />
          ),
        )}
        {errors[''] && (
          <p className="error" role="alert">
            {errors['']}
          </p>
        )}
        <footer>
          <button type="button" className="slack-button" onClick={onClose}>
            {view.close}
          </button>
          {view.submit && (
            <button type="submit" className="slack-button primary" disabled={isBusy}>
              {view.submit}
            </button>
          )}
        </footer>
      </form>
    </Dialog>
  );
}

// Slack itself refuses a form with an empty field that is not optional.
function missingOf({ blocks }: ShownView, values: Readonly<Record<string, string>>): Record<string, string> {
  const empty = blocks.filter(
    ({ type, optional, block_id: id }) => type === 'input' && optional !== true && !values[String(id)],
  );
  return Object.fromEntries(empty.map(({ block_id: id }) => [String(id), 'Please complete this required field.']));
}

function Field({ block, error }: { readonly block: InputBlock; readonly error: string | undefined }) {
  const { block_id: id, label, hint, optional, element } = block;
  const described = { 'aria-describedby': `${id}-hint`, 'aria-invalid': error !== undefined };
  return (
    <div className="field">
      <label htmlFor={id}>
        {label.text} {optional && <span className="muted">(optional)</span>}
      </label>
      {element.option_groups ? (
        <select id={id} name={id} defaultValue="" {...described}>
          <option value="">Choose…</option>
          {element.option_groups.map((group) => (
            <optgroup key={group.label.text} label={group.label.text}>
              {group.options.map((option) => (
                <option key={option.value} value={option.value}>
                  {option.text.text}
                </option>
              ))}
            </optgroup>
          ))}
        </select>
      ) : (
        <input
          id={id}
          name={id}
          defaultValue={element.initial_value}
          maxLength={element.max_length}
          inputMode={element.type === 'number_input' ? 'decimal' : 'text'}
          autoComplete="off"
          {...described}
        />
      )}
      <p id={`${id}-hint`} className={error ? 'error' : 'muted'} role={error ? 'alert' : undefined}>
        {error ?? hint?.text}
      </p>
    </div>
  );
}
