import { anyOf } from '../../read/text/patterns.ts';

type Said = { readonly type: string; readonly message: string };

/** Words for a memory, be it only the name of a thing; part of the name of a class (`PagedKVCache`) it is none. */
export const MEMORY =
  /memory|VRAM|\bRAM\b|\bHBM\b|alloc|\b_?OOM|no space|CUDA out of|error code(?: is|:) ?207001|(?<![a-z])kv[ _-]?cache|cache blocks|insufficient system resources|enough quota/i;

/** Two settings that do not go together, or one that does not exist: the memory in it is the name of a thing. */
export const REFUSES = anyOf(
  '',
  /\bnot (?:yet |currently )?support(?:ed)?\b|\bnot valid for this configuration\b/,
  /\b(?:does|do)(?: not|n't) (?:yet |currently )?support\b|\bunsupported\b|\bincompatible\b/,
  /\bnot compatible\b|\bonly supports?\b|\b(?:[Uu]nknown|[Ii]nvalid) (?:kv|cache|value|choice|config)/,
  /\bmismatch\b|\b(?:is|are) not divisible by\b/,
  /\bmust (?:match|only be\b|be (?:in [[(]|one of|a multiple|divisible|either|set\b|positive|non-negative|less than 1\.0))/,
  /\bmutually exclusive\b|\bassumes (?:only|exactly|the)\b|\bcan(?:not|'t) be used\b/,
  /\brequires? an? [\w /]{1,30} device\b/,
);
const SHORT = anyOf(
  'i',
  /out of |not enough|insufficient|exceed|larg|too (?:long|small|big)|\bno (?:available|space|free)/,
  /\benough (?:\w+ ){0,3}memory|alloc\w* fail|bad[_ ]alloc/,
  /(?:fail|unable|cannot|can't|could not)[\w ]{0,30} (?:alloc|reserve|map)|\b_?OOM|memory access/,
  /less than (?:desired|required)|\d ?[KMGT]i?B\b/,
);

// Counts held against each other: tokens, requests and slots against what was set aside for them beforehand, a setting
// against a bound. Nothing is asked of a memory.
const COUNTS =
  /\bexceed(?:s|ed|ing)? (?:the |its |their )?(?:\w+ ){0,2}(?:(?:pre-?)?allocated (?!\w* ?(?:memory|RAM|VRAM)\b)\w|allocation$)|\b(?:must|should) be (?:larger|greater|bigger|smaller|higher|lower) than\b/;
const SIZE = /\d ?[KMGT]i?B\b/;

// What somebody wants to avoid has not happened.
const THREATS =
  /\b(?:risk(?:s|ing|ed)?|avoid(?:s|ing)?|prevent(?:s|ing)?|potential(?:ly)?|possible)(?: \w+){0,2} (?:OOMs?\b|out[- ]of[- ]memory\b)/gi;

/** Whether a sentence checks settings or counts against each other, whatever memory it names. */
export function isRefusal(text: string): boolean {
  const told = text.replaceAll(THREATS, '');
  return (REFUSES.test(told) && !SHORT.test(told)) || (COUNTS.test(told) && !SIZE.test(told));
}

/** Whether an error says that memory was short, in words that nobody need know. */
export function isShortage(text: string, { type, message }: Said): boolean {
  if (measuresMemory(message)) return true;
  const told = text.replaceAll(THREATS, '');
  if (!MEMORY.test(told) || isRefusal(told)) return false;
  return !namesAThing({ type, message: message.replaceAll(THREATS, '') });
}

const LACKS = new RegExp(
  `${SHORT.source}|\\b(?:is|are) full\\b|\\black|\\bshort(?:age)?\\b|\\bno (?:\\w+ ){0,3}memory|\\brunning low|\\bpressure\\b|\\bprofiling\\b|\\b(?:regist\\w*|alloc\\w*|reserv\\w*|mmap\\w*|map|pin\\w*)\\b[^.]{0,40}\\bfail|\\bfail\\w*[^.]{0,40}\\b(?:regist|alloc|reserv|mmap|map|pin)`,
  'i',
);
const COMPLAINS =
  /fail|error|unable|cannot|can't|could(?: not|n't)|\bno (?:room|space)\b|exhaust|capacity|null pointer|\btoo\b/i;

/**
 * What the interpreter itself raises, or a check of arguments, files and modules: it says what it means. A RuntimeError
 * can be anything that a library could not do, an assertion without words says nothing.
 */
export const PLAIN =
  /^(?:Import|ModuleNotFound|FileNotFound|NotADirectory|IsADirectory|Permission|Key|Index|Attribute|Type|Name|UnboundLocal|NotImplemented|Value|ZeroDivision|Overflow|Recursion|Unicode\w*|JSONDecode|Validation|HFValidation|RepositoryNotFound|RevisionNotFound|EntryNotFound|GatedRepo|LocalEntryNotFound|Safetensor|SafetensorError|Syntax|Indentation)(?:Error|Exception)?$/;

// A check of a cache, a setting of a pool: memory is the name of the thing, and nothing says that there was too little. In
// a RuntimeError that complains the allocator may speak in words that nobody knows.
function namesAThing({ type, message }: Said): boolean {
  if (message === '' || LACKS.test(message)) return false;
  return PLAIN.test(type) || type === 'AssertionError' || !COMPLAINS.test(message);
}

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
