import { LineCounter, parseDocument } from 'yaml';
import { offsetOf } from '../playbook/yaml-source.ts';

export type Path = readonly PropertyKey[];

/** A YAML text as a value, with the line of each key. */
export type YamlFile = {
  readonly value: unknown;
  /** Line of a key (or of the element of a list), from 1; that of the nearest one above where it is not there. */
  lineOf(path: Path): number;
};

export type YamlOutcome =
  | { readonly kind: 'ok'; readonly file: YamlFile }
  | { readonly kind: 'bad'; readonly problems: readonly { readonly line: number; readonly message: string }[] };

/** Never throws. Messages hold nothing of the text, which may have secrets in it. */
export function readYaml(text: string): YamlOutcome {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const at = (offset: number) => lines.linePos(offset).line;
  if (document.errors.length > 0) {
    const problems = document.errors.map(({ code, pos }) => ({
      line: at(pos[0]),
      message: WORDS[code] ?? 'is not YAML',
    }));
    return { kind: 'bad', problems };
  }
  const lineOf = (path: Path) => at(offsetOf(document.contents, path, true));
  try {
    return { kind: 'ok', file: { value: document.toJS() ?? {}, lineOf } };
  } catch {
    return { kind: 'bad', problems: [{ line: 1, message: 'has aliases (`*name`) that cannot be followed' }] };
  }
}

const WORDS: Readonly<Record<string, string>> = {
  DUPLICATE_KEY: 'has a duplicate key',
  TAB_AS_INDENT: 'is indented with a tab; YAML needs spaces',
  BAD_INDENT: 'has wrong indentation',
  MISSING_CHAR: 'has an unclosed quote or bracket',
  MULTIPLE_DOCS: 'has a second document; only one is allowed',
};
