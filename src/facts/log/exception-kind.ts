import type { ExceptionKind } from '../../model/guess-words.ts';
import { tablesInForce } from '../../model/reference-tables.ts';

/** What kind of thing an error is about, by its type and its message. */
export function kindOf({ type, message }: { readonly type: string; readonly message: string }): ExceptionKind {
  const { namedKinds, wording } = tablesInForce();
  const text = `${type} ${message}`;
  const named = namedKinds.find(({ pattern }) => pattern.test(text));
  return named?.kind ?? (wording.setup.test(type) ? 'config' : 'other');
}

/** Whether an error about a setting may be one about room. */
export function mayBeOfRoom(message: string): boolean {
  return tablesInForce().wording.room.test(message);
}
