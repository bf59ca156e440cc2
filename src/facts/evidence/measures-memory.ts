import { anyOf } from '../../read/text/patterns.ts';

const AMOUNT = String.raw`\d ?(?:[KMGT]i?B|[Bb]ytes)\b`;
const TWO_AMOUNTS = new RegExp(`${AMOUNT}.*${AMOUNT}`);
const HELD_AGAINST = new RegExp(
  String.raw`\b(?:only|at least|at most|needs?|requires?|required|reserves?|exceeds?|(?:more|less|larger|smaller|greater) than)\b.*${AMOUNT}|${AMOUNT}.*\b(?:available|free|left|remain\w*|short|exceeds?|needed|required)\b`,
  'i',
);
// What is measured in bytes and lies on a disk, or comes over the network.
const OF_FILES = anyOf(
  'i',
  /\bdisks?\b|\bfiles?\b|\bfile ?systems?\b|\bdownload|\bupload|\bbody\b|\bpayload\b|\bimages?\b/,
  /\bheaders?\b|\bmessage (?:size|length)\b|\brequest size\b|\bsafetensors\b|\bshards?\b|\bchecksum\b/,
  /\bstorage\b|\bno space left\b/,
);

/**
 * Whether an error holds an amount of bytes against another, or against what there is: whatever its type, memory may be
 * what is short. Not where the bytes are those of a file or a message.
 */
export function measuresMemory(message: string): boolean {
  return (TWO_AMOUNTS.test(message) || HELD_AGAINST.test(message)) && !OF_FILES.test(message);
}
