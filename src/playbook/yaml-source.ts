import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type ParsedNode,
  parseAllDocuments,
  visit,
} from 'yaml';
import type { Locate, Problem } from './problem.ts';

/**
 * A file as a person wrote it; `path` is what messages show, `value` what this text holds where that was read before,
 * `isChecked` whether a file of signatures was found sound then.
 */
export type TextFile = {
  readonly path: string;
  readonly text: string;
  readonly value?: unknown;
  readonly isChecked?: boolean | undefined;
  /** Set in a folder of a team's own; `shipped` is the built-in file that this one overrides. */
  readonly own?: { readonly shipped: TextFile | undefined } | undefined;
};

export type YamlSource =
  | { readonly kind: 'read'; readonly value: unknown; readonly locate: Locate }
  | { readonly kind: 'refused'; readonly problems: readonly Problem[] };

/** Reads one YAML 1.2 document without anchors, aliases, merge keys, tags or duplicate keys; never throws. */
export function readYaml(file: TextFile): YamlSource {
  return file.value === undefined ? parseYaml(file) : { kind: 'read', value: file.value, locate: locateLate(file) };
}

/** Places in a text whose value is known: it is parsed when the first one is asked for. */
function locateLate(file: TextFile): Locate {
  let source: YamlSource | undefined;
  return (keys, key) => {
    source ??= parseYaml(file);
    return source.kind === 'read' ? source.locate(keys, key) : { line: 1, column: 1 };
  };
}

function parseYaml({ path, text }: TextFile): YamlSource {
  const lines = new LineCounter();
  const parsed = parseAllDocuments(text, {
    version: '1.2',
    schema: 'core',
    merge: false,
    uniqueKeys: true,
    prettyErrors: false,
    lineCounter: lines,
  });
  const documents = Array.isArray(parsed) ? parsed : [];
  const at = (offset: number): { line: number; column: number } => position(lines, offset);
  const problems: Problem[] = [];
  const refuse = (offset: number, message: string): void => {
    problems.push({ file: path, ...at(offset), message, severity: 'error' });
  };
  const document = documents[0];
  if (document === undefined) refuse(0, 'the file is empty');
  if (documents.length > 1) refuse(documents[1]?.range[0] ?? 0, 'one document per file; `---` starts a second one');
  for (const { errors } of documents) {
    for (const { code, message, pos } of errors) refuse(pos[0], faultOf(code, message));
  }
  if (document === undefined || problems.length > 0) return { kind: 'refused', problems };
  refuseTricks(document.contents, refuse);
  if (problems.length > 0) return { kind: 'refused', problems };
  const locate: Locate = (keys, key = false) => at(offsetOf(document.contents, keys, key));
  return { kind: 'read', value: document.toJS(), locate };
}

function position(lines: LineCounter, offset: number): { line: number; column: number } {
  const { line, col } = lines.linePos(offset);
  return { line: Math.max(1, line), column: Math.max(1, col) };
}

function faultOf(code: string, message: string): string {
  if (code === 'DUPLICATE_KEY') return 'this key occurs twice in the same map; the first one would be lost';
  return `not readable as YAML: ${message}`;
}

/** Anchors, aliases, merge keys and tags make a reader jump, so a playbook has none. */
function refuseTricks(contents: ParsedNode | null, refuse: (offset: number, message: string) => void): void {
  visit(contents, {
    Alias: (_, node) => refuse(node.range?.[0] ?? 0, 'aliases (`*name`) are not allowed here; write the value out'),
    Node: (_, node) => {
      const offset = node.range?.[0] ?? 0;
      if (!isAlias(node) && node.anchor) refuse(offset, 'anchors (`&name`) are not allowed here; write the value out');
      if (node.tag) refuse(offset, `tags (\`${node.tag}\`) are not allowed here; write the plain value`);
    },
    Pair: (_, { key }) => {
      const offset = startOf(key);
      if (!isScalar(key) || key.value === null) refuse(offset, 'a key is a plain word');
      else if (key.value === '<<') refuse(offset, 'merge keys (`<<`) are not allowed here');
    },
  });
}

/** Offset of what `keys` leads to; of the deepest part that exists where it does not lead all the way. */
export function offsetOf(root: Node | null, keys: readonly PropertyKey[], key: boolean): number {
  let node: unknown = root;
  let name: unknown = root;
  for (const part of keys) {
    const next = childOf(node, part);
    if (next === undefined) return startOf(name);
    name = next.name;
    node = next.node;
  }
  return startOf(key || node === null ? name : node);
}

function childOf(node: unknown, part: PropertyKey): { name: unknown; node: unknown } | undefined {
  if (isSeq(node)) {
    const item = node.items[Number(part)];
    return item === undefined ? undefined : { name: item, node: item };
  }
  if (!isMap(node)) return undefined;
  const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === String(part));
  return pair === undefined ? undefined : { name: pair.key, node: pair.value };
}

function startOf(node: unknown): number {
  return (node as Node | null)?.range?.[0] ?? 0;
}
