/** Why a script cannot be read with certainty. */
export type ScanFault = 'here-document' | 'dollar-quote' | 'unbalanced' | 'unsupported-shell';

/** The offset behind what was skipped, or why that is not known. */
export type Skipped = number | ScanFault;

const MAX_DEPTH = 40;
const NAME_OR_SPECIAL = /[A-Za-z_]\w*|[0-9@*#?$!-]/y;

/** Skips `$NAME`, `${…}`, `$(…)`, `$((…))` at `at`; answers `at + 1` for a dollar that is only a dollar. */
export function skipDollar(text: string, at: number, depth = 0): Skipped {
  const next = text.charAt(at + 1);
  // A continued line is joined before the dollar is read.
  if (text.startsWith('\\\n', at + 1)) return 'unsupported-shell';
  if (next === '(') return skipParens(text, at + 1, depth + 1);
  if (next === '{') return skipBraces(text, at + 1, depth + 1);
  NAME_OR_SPECIAL.lastIndex = at + 1;
  const name = NAME_OR_SPECIAL.exec(text);
  return name === null ? at + 1 : at + 1 + name[0].length;
}

/** Skips a string in single quotes that begins at `at`. */
function skipSingle(text: string, at: number): Skipped {
  const end = text.indexOf("'", at + 1);
  return end === -1 ? 'unbalanced' : end + 1;
}

/** Skips what stands in backticks. */
export function skipBackticks(text: string, at: number): Skipped {
  for (let i = at + 1; i < text.length; i++) {
    if (text.charAt(i) === '\\') i++;
    else if (text.charAt(i) === '`') return i + 1;
  }
  return 'unbalanced';
}

/** Skips from a parenthesis to the one that closes it. Remarks, `case` and here-documents in there are not read. */
export function skipParens(text: string, at: number, depth: number): Skipped {
  return skipTo(text, at, { close: ')', depth, refuses: UNSURE_IN_PARENS });
}

const UNSURE_IN_PARENS = /[\s(;]#|\bcase\b|<</y;
// What a single quote in `${…}` means depends on the quotes around it.
const UNSURE_IN_BRACES = /'/y;

function skipBraces(text: string, at: number, depth: number): Skipped {
  return skipTo(text, at, { close: '}', depth, refuses: UNSURE_IN_BRACES });
}

type Limits = { readonly close: ')' | '}'; readonly depth: number; readonly refuses: RegExp };

function skipTo(text: string, from: number, { close, depth, refuses }: Limits): Skipped {
  if (depth > MAX_DEPTH) return 'unsupported-shell';
  let i = from + 1;
  while (i < text.length) {
    refuses.lastIndex = i;
    if (refuses.test(text)) return 'unsupported-shell';
    const c = text.charAt(i);
    if (c === close) return i + 1;
    const next: Skipped = close === ')' && c === '(' ? skipParens(text, i, depth + 1) : skipOne(text, i, depth);
    if (typeof next === 'string') return next;
    i = next;
  }
  return 'unbalanced';
}

function skipOne(text: string, at: number, depth: number): Skipped {
  switch (text.charAt(at)) {
    case '\\':
      return at + 2;
    case "'":
      return skipSingle(text, at);
    case '"':
      return skipDouble(text, at, depth);
    case '`':
      return skipBackticks(text, at);
    case '$':
      return text.charAt(at + 1) === "'" ? 'dollar-quote' : skipDollar(text, at, depth);
    default:
      return at + 1;
  }
}

function skipDouble(text: string, at: number, depth: number): Skipped {
  let i = at + 1;
  while (i < text.length) {
    const c = text.charAt(i);
    if (c === '"') return i + 1;
    const next = c === '\\' || c === '`' || (c === '$' && text.charAt(i + 1) !== "'") ? skipOne(text, i, depth) : i + 1;
    if (typeof next === 'string') return next;
    i = next;
  }
  return 'unbalanced';
}
