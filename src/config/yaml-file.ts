import { isMap, isNode, isPair, isSeq, LineCounter, parseDocument } from 'yaml';

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
      message: WORDS[code] ?? 'is no YAML',
    }));
    return { kind: 'bad', problems };
  }
  const lineOf = (path: Path) => at(offsetOf(document.contents, path));
  try {
    return { kind: 'ok', file: { value: document.toJS() ?? {}, lineOf } };
  } catch {
    return { kind: 'bad', problems: [{ line: 1, message: 'has aliases (`*name`) that cannot be followed' }] };
  }
}

const WORDS: Readonly<Record<string, string>> = {
  DUPLICATE_KEY: 'has a key that stands there twice',
  TAB_AS_INDENT: 'is indented by a tab; YAML wants spaces',
  BAD_INDENT: 'is indented wrongly',
  MISSING_CHAR: 'lacks a quote or bracket',
  MULTIPLE_DOCS: 'begins a second document; one is allowed',
};

function offsetOf(contents: unknown, path: Path): number {
  let node: unknown = contents;
  let offset = isNode(node) ? (node.range?.[0] ?? 0) : 0;
  for (const step of path) {
    const next = childOf(node, step);
    if (next === undefined) break;
    offset = next.offset ?? offset;
    node = next.node;
  }
  return offset;
}

function childOf(node: unknown, step: PropertyKey): { node: unknown; offset: number | undefined } | undefined {
  if (isSeq(node)) {
    const item: unknown = node.items[Number(step)];
    return isNode(item) ? { node: item, offset: item.range?.[0] } : undefined;
  }
  if (!isMap(node)) return undefined;
  const pair = node.items.find(({ key }) => isPairOf(key, step));
  if (!isPair(pair) || !isNode(pair.key)) return undefined;
  return { node: pair.value, offset: pair.key.range?.[0] };
}

function isPairOf(key: unknown, step: PropertyKey): boolean {
  return isNode(key) && String(key.toJSON()) === String(step);
}
