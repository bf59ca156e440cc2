import { evidenceLines, type TextLine } from '../text/lines.ts';

/** A line of indented text with the keys above it, innermost last. Keys are lower-case without blanks: `Last State` -> `laststate`. */
export type KeyLine = {
  readonly line: TextLine;
  readonly path: readonly string[];
  /** The same keys as they stand: names of containers and volumes. */
  readonly names: readonly string[];
  /** The words before the colon as they stand; undefined for a line without one. */
  readonly name: string | undefined;
  readonly key: string;
  readonly value: string;
  /** The line opens an item of a YAML list. */
  readonly item: boolean;
};

type Open = { readonly indent: number; readonly key: string; readonly name: string };

/** Lines of `kubectl describe` or of YAML, whole or in fragments: what is above a line is what is indented less. */
export function* keyLines(text: string): Generator<KeyLine> {
  let open: Open[] = [];
  for (const line of evidenceLines(text)) {
    const { indent, item, rest } = indentOf(line.text);
    open = open.filter((section) => section.indent < indent);
    const { name, value } = split(rest);
    const key = name === undefined ? '' : keyOf(name);
    const names = open.map((section) => section.name);
    yield { line, path: open.map((section) => section.key), names, name, key, value, item };
    if (name !== undefined) open.push({ indent, key, name });
  }
}

function indentOf(text: string): { indent: number; item: boolean; rest: string } {
  const [, blanks = '', dash = '', rest = ''] = /^([ \t]*)(- +)?(.*)$/s.exec(text) ?? [];
  // `- name: x` belongs to the list above it, its siblings stand two further right: the item's own indent is that of its key.
  return { indent: blanks.replaceAll('\t', '    ').length + dash.length, item: dash !== '', rest };
}

const KEY = /^["']?([A-Za-z][\w ./()-]{0,80}?)["']?:(?:\s+(.*))?$/s;

function split(rest: string): { name: string | undefined; value: string } {
  const match = KEY.exec(rest);
  if (match === null) return { name: undefined, value: rest.trim() };
  // In JSON a comma follows the value.
  const value = match[2]?.trim() ?? '';
  return { name: match[1], value: unquote(/^["']/.test(rest) ? value.replace(/,$/, '') : value) };
}

export function unquote(text: string): string {
  const match = /^(["'])(.*)\1,?$/s.exec(text);
  return match?.[2] ?? text;
}

function keyOf(name: string): string {
  return name.replaceAll(/[\s_-]/g, '').toLowerCase();
}

/** Whether a line is `Command: vllm serve x`, as people shorten it; a probe that runs a command has its words behind `exec`. */
export function isInlineWords({ key, value, path }: KeyLine): boolean {
  return (key === 'command' || key === 'args') && value !== '' && !path.some((one) => /probe|exec|lifecycle/.test(one));
}

/**
 * Whether a line is of the container and not of the state that it seems to stand in: what was cut out from `State:` on has
 * lost the indent of its first line.
 */
export function isStateSibling(section: string, { key }: KeyLine): boolean {
  return /^(?:last)?state$/.test(section) && (key === 'ready' || key === 'restartcount');
}

/** What `kubectl describe` printed of one object; `loose` is what stands outside of any. */
export type Section = {
  readonly kind: 'pod' | 'node' | 'workload' | 'loose';
  readonly name: string | undefined;
  readonly lines: readonly KeyLine[];
};

type OpenSection = { readonly name: string | undefined; readonly lines: KeyLine[] };

/**
 * The objects whose descriptions stand one below the other in a paste (kubectl pkg/describe/describe.go: each begins with its
 * name). One that is described twice is one section. What follows a prompt or the head of a table belongs to none.
 */
export function sectionsOf(lines: readonly KeyLine[]): readonly Section[] {
  const loose: OpenSection = { name: undefined, lines: [] };
  const named = new Map<string, OpenSection>();
  let open = loose;
  lines.forEach((at, i) => {
    if (opensSection(at, lines[i + 1])) {
      open = named.get(at.value) ?? { name: at.value, lines: [] };
      named.set(at.value, open);
    } else if (endsSection(at)) open = loose;
    open.lines.push(at);
  });
  const sections = [...named.values()].map((section) => ({ ...section, kind: kindOf(section.lines) }));
  const headless = hasStatus(loose.lines) && sections.some(({ kind }) => kind === 'pod');
  return [{ ...loose, kind: headless ? 'pod' : 'loose' }, ...sections];
}

// Lines that are below the name. A volume made of a ConfigMap has a `Name:` too, with `Optional:` below it.
const BELOW_NAME =
  /^(?:namespace|priority|priorityclassname|serviceaccount|roles|labels|annotations|creationtimestamp|node|starttime|status|phase|reason|containers|image|state|laststate)$/;

function opensSection({ key, value, path }: KeyLine, next: KeyLine | undefined): boolean {
  return key === 'name' && value !== '' && path.length === 0 && BELOW_NAME.test(next?.key ?? '');
}

const PROMPT_OR_TABLE =
  /^(?:[$%>] |\S{1,80}[$#%] |(?:kubectl|docker|crictl|journalctl|dmesg|oc) |[-=]{3,}|NAME {2,}|NAMESPACE {2,}|LAST SEEN )/;

function endsSection({ line }: KeyLine): boolean {
  return PROMPT_OR_TABLE.test(line.text);
}

const OF_NODE = new Set(['roles', 'capacity', 'allocatable', 'taints', 'systeminfo']);
const OF_WORKLOAD = new Set(['replicas', 'podtemplate', 'selector', 'strategytype', 'desirednumberofnodesscheduled']);

function kindOf(lines: readonly KeyLine[]): Section['kind'] {
  const top = lines.filter(({ path }) => path.length === 0).map(({ key }) => key);
  if (top.some((key) => OF_NODE.has(key))) return 'node';
  return top.some((key) => OF_WORKLOAD.has(key)) ? 'workload' : 'pod';
}

function hasStatus(lines: readonly KeyLine[]): boolean {
  return lines.some(({ key, path }) => path.length > 0 && (key === 'state' || key === 'laststate'));
}
