import { OomError, toOomError } from '../model/errors.ts';

/** What may be a folder or a name and was read as a name: where that fails, a mistyped folder is the likelier reason. */
export async function orNoFolder<T>(words: readonly string[], read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (thrown) {
    const error = toOomError(thrown);
    const [word] = words;
    if (word === undefined || words.length > 1) throw error;
    throw new OomError(error.code, error.message, {
      next: `There is no folder ${word} either. ${error.next}`,
      cause: error.cause,
    });
  }
}
