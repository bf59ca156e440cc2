import { clipMiddle, toLastWord } from './sentence.ts';

// What PyTorch puts behind the figures of every failure, whatever they are (c10/cuda/CUDACachingAllocator.cpp).
const ADVICE =
  /\s*If reserved (?:but unallocated )?memory is (?:large|>> allocated memory),? try setting .{1,120}?(?:fragmentation\.?|$)(?:\s*See documentation for Memory Management(?: and \w{1,40})?)?(?:\s*\(https?:\/\/[^\s)]{1,200}\)?)?/g;

// From what was wanted to what was reserved: the account that decides.
const ACCOUNT =
  /(?:\w{2,6} out of memory\. )?Tried to allocate .{1,900}?(?:by PyTorch but unallocated\.?|in total by PyTorch\)?)/;

const GAP = ' … ';

/** A line of at most `length` characters. What is the same under every failure goes first, then what stands before the figures of a failure, then the middle. */
export function shorten(line: string, length: number): string {
  const text = line.replaceAll(ADVICE, ' …').trim();
  if ([...text].length <= length) return text;
  return aroundAccount(text, length) ?? clipMiddle(text, length);
}

function aroundAccount(text: string, length: number): string | undefined {
  const found = ACCOUNT.exec(text);
  if (found === null) return undefined;
  const [account] = found;
  const isLast = found.index + account.length === text.length;
  const room = length - [...account].length - (isLast ? 0 : GAP.trimEnd().length);
  const before = text.slice(0, found.index);
  // A head too short to tell anything is no head.
  if (room < (before === '' ? 0 : GAP.length + 10)) return undefined;
  const cut = toLastWord([...before].slice(0, room - GAP.length).join(''));
  const head = [...before].length <= room ? before : `${cut}${GAP}`;
  return `${head}${account}${isLast ? '' : GAP.trimEnd()}`;
}
