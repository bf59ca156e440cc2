import { quote } from '../owners/kubectl.ts';
import { type ArgEdit, type Paste, type Refusal, type RefusalReason, SENTENCES } from './edit-outcome.ts';

/** A refusal with its sentence; `subject` names the flag or the variable it is about. */
export function refuse(reason: RefusalReason, subject: string | null, paste: Paste | null): Refusal {
  const says = subject === null ? SENTENCES[reason] : `${subject}: ${SENTENCES[reason]}`;
  return { kind: 'refused', reason, says, paste };
}

/** The flags as words to put in by hand; null where all of them are to be taken out. */
export function pasteWords(edits: readonly ArgEdit[], joint: '=' | ' '): Paste | null {
  const words = edits.flatMap(({ flag, to }) => {
    if (to === null) return [];
    if (isVariable(flag)) return [`${flag}=${quote(to)}`];
    if (to === 'true') return [flag];
    return [`${flag}${joint}${quote(to)}`];
  });
  return words.length === 0 ? null : { kind: 'text', text: words.join(' ') };
}

/** Whether an edit's flag is a variable: `OLLAMA_NUM_PARALLEL`. */
export function isVariable(flag: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(flag);
}
