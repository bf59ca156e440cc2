import type { KeyLine } from './describe-lines.ts';

/** What `kubectl describe` printed of one object; `loose` is what stands outside of any. */
export type Section = {
  readonly kind: 'pod' | 'node' | 'workload' | 'loose';
  readonly name: string | undefined;
  readonly lines: readonly KeyLine[];
};

type Open = { readonly name: string | undefined; readonly lines: KeyLine[] };

/**
 * The objects whose descriptions stand one below the other in a paste (kubectl pkg/describe/describe.go: each begins with its
 * name). One that is described twice is one section. What follows a prompt or the head of a table belongs to none.
 */
export function sectionsOf(lines: readonly KeyLine[]): readonly Section[] {
  const loose: Open = { name: undefined, lines: [] };
  const named = new Map<string, Open>();
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

// Lines that stand below the name. A volume made of a ConfigMap has a `Name:` too, with `Optional:` below it.
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
