import { PATTERNS, type RedactionPattern } from './patterns.ts';
import { redactPrompts } from './prompts.ts';

export type Redactor = {
  /** The text without secrets and prompts. Lines stay lines, so that a citation's number holds. */
  redact(text: string): string;
};

export type RedactorOptions = {
  /** Own patterns, applied after the built-in ones. The whole match is replaced by `[redacted:name]`. */
  readonly patterns?: readonly { readonly name: string; readonly pattern: string }[];
};

/** Makes a redactor. Linear in the length of the text; running it twice changes nothing more. */
export function createRedactor(options: RedactorOptions = {}): Redactor {
  const own: RedactionPattern[] = (options.patterns ?? []).map(({ name, pattern }) => ({
    name,
    find: new RegExp(pattern, 'gu'),
  }));
  const all = [...PATTERNS, ...own];
  return {
    redact: (text) => all.reduce((rest, pattern) => applyPattern(rest, pattern), redactPrompts(text)),
  };
}

function applyPattern(text: string, pattern: RedactionPattern): string {
  // A cheap look for a literal spares the expression most texts.
  if (pattern.literals !== undefined && !pattern.literals.some((literal) => text.includes(literal))) return text;
  return text.replace(pattern.find, (...found) => {
    const groups = found.at(-1) as Readonly<Record<string, string | undefined>> | undefined;
    const whole = String(found[0]);
    const kept = typeof groups === 'object' ? (groups.keep ?? '') : '';
    if (whole.includes('[redacted:')) return whole;
    const behind = typeof groups === 'object' ? (groups.after ?? '') : '';
    return `${kept}[redacted:${pattern.name}]${lineFeeds(whole)}${behind}`;
  });
}

// A secret over several lines (a key in PEM form) leaves as many lines as it had.
function lineFeeds(text: string): string {
  return '\n'.repeat(text.split('\n').length - 1);
}
