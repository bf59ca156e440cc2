import { tablesInForce } from '../../model/reference-tables.ts';

type Said = { readonly type: string; readonly message: string };

const SIZE = /\d ?[KMGT]i?B\b/;

/** Whether a sentence checks settings or counts against each other, whatever memory it names. */
export function isRefusal(text: string): boolean {
  const { threats, refusal, lacking, counts } = tablesInForce().wording;
  const told = text.replaceAll(threats, '');
  return (refusal.test(told) && !lacking.test(told)) || (counts.test(told) && !SIZE.test(told));
}

/** Whether a sentence names a memory and does not only check settings or counts. */
export function namesMemory(text: string): boolean {
  return tablesInForce().wording.memory.test(text) && !isRefusal(text);
}

/** Whether an error says that memory was short, in words that nobody need know. */
export function isShortage(text: string, { type, message }: Said): boolean {
  if (measuresMemory(message)) return true;
  const { threats } = tablesInForce().wording;
  const told = text.replaceAll(threats, '');
  return namesMemory(told) && !namesAThing({ type, message: message.replaceAll(threats, '') });
}

/** Whether a type says what it means: what the interpreter itself raises, or a check of arguments, files and modules. */
export function isPlainType(type: string): boolean {
  return tablesInForce().wording.plain.test(type);
}

// A check of a cache, a setting of a pool: memory is the name of the thing, and nothing says that there was too little. In
// a RuntimeError that complains the allocator may speak in words that nobody knows.
function namesAThing({ type, message }: Said): boolean {
  const { lacks, complaint } = tablesInForce().wording;
  if (message === '' || lacks.test(message)) return false;
  return isPlainType(type) || type === 'AssertionError' || !complaint.test(message);
}

const AMOUNT = String.raw`\d ?(?:[KMGT]i?B|[Bb]ytes)\b`;
const TWO_AMOUNTS = new RegExp(`${AMOUNT}.*${AMOUNT}`);
const HELD_AGAINST = new RegExp(
  String.raw`\b(?:only|at least|at most|needs?|requires?|required|reserves?|exceeds?|(?:more|less|larger|smaller|greater) than)\b.*${AMOUNT}|${AMOUNT}.*\b(?:available|free|left|remain\w*|short|exceeds?|needed|required)\b`,
  'i',
);
/**
 * Whether an error holds an amount of bytes against another, or against what there is: whatever its type, memory may be
 * what is short. Not where the bytes are those of a file or a message.
 */
export function measuresMemory(message: string): boolean {
  return (TWO_AMOUNTS.test(message) || HELD_AGAINST.test(message)) && !tablesInForce().wording.files.test(message);
}

// What was asked for, and in which unit. A limit that nobody set is as large, and no request.
const ASKED =
  /\b(?:alloc\w*|request\w*|required?|needs?|reserve|size|memory of|buffer of)\b[^\n\d]{0,30}(\d[\d.]{0,24}) ?(?:([KMGTPEZ])i?B\b|bytes\b|B\b|$)?/gi;
const POWERS = 'KMGTPEZ';
const KILO = 1024;
/** More than any machine has: a shape or an offset that was computed wrong, or read from a broken file. */
const IMPOSSIBLE = KILO ** 5;

/** Whether a line asks for more memory than any machine has. */
export function asksTheImpossible(text: string): boolean {
  return [...text.matchAll(ASKED)].some(([, size = '', unit]) => {
    const power = unit === undefined ? 0 : POWERS.indexOf(unit.toUpperCase()) + 1;
    return Number(size) * KILO ** power >= IMPOSSIBLE;
  });
}
