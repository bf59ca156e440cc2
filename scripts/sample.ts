import type { Gallery } from '../src/playground/page/shown-message.ts';
import type { StoredMessage } from '../src/standins/slack/state.ts';

/** A picture. `opens` is opened in it first: the menu of a message, the list of a form, or the confirm dialog of a button. */
export type Sample = Gallery & {
  readonly name: string;
  readonly opens?: 'menu' | 'select' | { readonly confirm: string };
};

export const NAMES = {
  users: { U_ONCALL: 'oncall', U_APPROVER: 'approver', U_STRANGER: 'stranger' },
  groups: { S_ONCALL: 'oncall', S_APPROVERS: 'llm-approvers' },
};

export const buttonOf = (message: StoredMessage, asks: string): string | undefined =>
  new RegExp(`"(oom:${asks}:\\d+)"`).exec(JSON.stringify(message.blocks))?.[1];

export const copyOf = (message: StoredMessage): StoredMessage => structuredClone(message);

export function sample(name: string, messages: readonly StoredMessage[]): Sample {
  return { name, messages: messages.map(({ ts, text, blocks }) => ({ id: ts, ts, text, blocks })), names: NAMES };
}
