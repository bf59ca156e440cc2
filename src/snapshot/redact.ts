import { linearPattern } from '../model/linear-pattern.ts';
import { redactAssignments } from './assignments.ts';
import { cutLongLines } from './long-lines.ts';
import { HEADERS, PATTERNS, type RedactionPattern } from './patterns.ts';
import { redactPrivateKeys } from './private-keys.ts';
import { redactPrompts } from './prompts.ts';
import { lineFeeds } from './quoted-text.ts';

export type Redactor = {
  /** The text without secrets and prompts. Lines stay lines, so that a citation's number holds. */
  redact(text: string): string;
};

export type RedactorOptions = {
  /** Own patterns, applied after the built-in ones. The whole match is replaced by `[redacted:name]`. */
  readonly patterns?: readonly { readonly name: string; readonly pattern: string }[];
};

// Colours, also as JSON and shells write them. They stand right before a token, or inside it.
// biome-ignore lint/suspicious/noControlCharactersInRegex: the escape character is what colours begin with.
const COLOUR = /(?:\u001b|\\(?:u001b|x1b|033|e))\[[0-?]{0,64}[ -/]{0,8}[@-~]/gi;

/** Makes a redactor. Linear in the length of the text; running it twice changes nothing more. */
export function createRedactor(options: RedactorOptions = {}): Redactor {
  const own = (options.patterns ?? []).map(({ name, pattern }) => ({ name, find: linearPattern(pattern) }));
  const apply = (text: string, patterns: readonly RedactionPattern[]) => patterns.reduce(applyPattern, text);
  const builtIn = (text: string) =>
    apply(redactAssignments(apply(redactPrivateKeys(cutLongLines(redactPrompts(text))), HEADERS)), PATTERNS);
  const plain = (text: string) =>
    own.reduce((rest, { name, find }) => find.replace(rest, (match) => mark(name, match)), builtIn(text));
  return { redact: (text) => underColours(text, plain) };
}

// A line that had something taken out loses its colours; every other line keeps its bytes.
function underColours(text: string, redact: (text: string) => string): string {
  const bare = text.replace(COLOUR, '');
  if (bare === text) return redact(text);
  const clean = redact(bare);
  if (clean === bare) return text;
  const [before, after] = [bare.split('\n'), clean.split('\n')];
  return text
    .split('\n')
    .map((line, i) => (before[i] === after[i] ? line : after[i]))
    .join('\n');
}

function applyPattern(text: string, pattern: RedactionPattern): string {
  // A cheap look for a literal spares the expression most texts.
  if (pattern.literals !== undefined && !pattern.literals.some((literal) => text.includes(literal))) return text;
  const { within, ...inner } = pattern;
  if (within !== undefined) return text.replace(within, (run) => applyPattern(run, inner));
  return text.replace(pattern.find, (...found) => {
    const groups = found.at(-1) as Readonly<Record<string, string | undefined>> | undefined;
    const whole = String(found[0]);
    const kept = typeof groups === 'object' ? (groups.keep ?? '') : '';
    if (whole.startsWith('[redacted:', kept.length)) return whole;
    const behind = typeof groups === 'object' ? (groups.after ?? '') : '';
    return `${kept}${mark(pattern.name, whole)}${behind}`;
  });
}

function mark(name: string, match: string): string {
  return match.startsWith('[redacted:') ? match : `[redacted:${name}]${lineFeeds(match)}`;
}
