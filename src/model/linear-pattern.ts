import { RE2JS } from 're2js';

/** A regular expression of other people, over text of other people: its time is linear in the length of the text. */
export type LinearPattern = {
  test(text: string): boolean;
  exec(text: string): LineMatch | null;
  replace(text: string, make: (match: string) => string): string;
};

/** What is used of a match, of either engine. */
export type LineMatch = Pick<RegExpExecArray, 0 | 'index' | 'groups'>;

/** Throws RE2JSSyntaxException where the engine, which has no lookaround and no backreferences, cannot take it. */
export function linearPattern(pattern: string, flags = ''): LinearPattern {
  const options = flags.includes('i') ? RE2JS.CASE_INSENSITIVE : 0;
  const compiled = RE2JS.compile(RE2JS.translateRegExp(pattern), options);
  return {
    test: (text) => compiled.matcher(text).find(),
    exec: (text) => compiled.exec(text) as unknown as LineMatch | null,
    replace(text, make) {
      const matcher = compiled.matcher(text);
      const pieces: string[] = [];
      let from = 0;
      while (matcher.find()) {
        pieces.push(text.slice(from, matcher.start()), make(text.slice(matcher.start(), matcher.end())));
        from = matcher.end();
      }
      return pieces.length === 0 ? text : pieces.join('') + text.slice(from);
    },
  };
}

/** Why a pattern cannot be used, or undefined. */
export function patternFault(pattern: string): string | undefined {
  if (/\(\?<?[=!]/.test(pattern)) return 'has a lookahead or lookbehind, which are not supported';
  if (/(?<!\\)(?:\\\\)*\\(?:[1-9]|k<)/.test(pattern)) return 'has a backreference, which is not supported';
  try {
    return linearPattern(pattern).test('') ? 'matches the empty text, and so everything' : undefined;
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace('error parsing regexp: ', '') : String(error);
    return `is not a regular expression in RE2 syntax: ${reason}`;
  }
}
