import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';

const SRC = join(import.meta.dirname, '..', 'src');

const PURE = ['facts', 'playbook', 'report', 'actions', 'budget', 'monitoring'];
const EDGES = ['alertmanager', 'kubernetes', 'metrics', 'slack', 'store', 'folder', 'system', 'steps'];

// What each folder of src may import from the others.
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  model: [],
  read: ['model'],
  snapshot: ['model'],
  ...Object.fromEntries(PURE.map((folder) => [folder, ['model', 'read', 'snapshot']])),
  app: ['model', 'read', 'snapshot', ...PURE],
  ...Object.fromEntries(
    EDGES.map((folder) => [
      folder,
      [
        'model',
        'read',
        'snapshot',
        'app/ports.ts',
        'app/acting-ports.ts',
        'app/incident-ports.ts',
        'app/ledger-ports.ts',
        'app/meter-ports.ts',
        'app/alert-ports.ts',
        'app/pressure-ports.ts',
        'app/outbox-ports.ts',
        'app/http-ports.ts',
        'app/watch-ports.ts',
      ],
    ]),
  ),
  slack: ['model', 'read', 'snapshot', 'app', 'report'],
  standins: ['model', 'slack/limits/message-limits.ts'],
};

// The layers inside facts, lowest first.
const FACT_LAYERS = [
  ['log'],
  ['evidence'],
  ['when'],
  ['gpu', 'ram', 'engine', 'load', 'death', 'advice'],
  ['guess'],
] as const;

// First words of the ids of facts that each folder defines.
const FACT_WORDS: Readonly<Record<string, readonly string[]>> = {
  log: [],
  evidence: ['evidence', 'log'],
  when: ['failure', 'sequence', 'instance'],
  gpu: ['gpu', 'allocator'],
  ram: ['ram', 'kernel', 'node'],
  engine: ['engine', 'knob', 'wrapper'],
  load: ['requests', 'queue', 'kv-cache', 'prefix-cache', 'preemptions', 'step'],
  death: ['death', 'pod', 'group', 'revision', 'amplifier'],
  advice: ['lasting', 'advice'],
  guess: ['guess'],
};

/** What breaks the rules today. A line that is no longer true fails the test: remove it. */
const VIOLATIONS = {
  imports: [] as readonly string[],
  facts: [] as readonly string[],
  // Folders that import each other in a circle; a circle may lose members without a change here.
  cycles: [] as readonly (readonly string[])[],
  files: [] as readonly string[],
};

// The layers below the edges do no I/O: of Node they may only hash.
const NO_IO = new Set(['model', 'read', 'snapshot', 'app', ...PURE]);
const PURE_PACKAGES = new Set(['zod', 'yaml', 'fastest-levenshtein', 'diff', 're2js', 'node:crypto']);

type Import = { readonly from: string; readonly to: string };

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((name) => /\.tsx?$/.test(name));
const textOf = new Map(files.map((name) => [name, readFileSync(join(SRC, name), 'utf8')]));
// Statements that import or export from another file, and import('...'); not the word `from` in some text.
const IMPORT = /^(?:import|export)\b[^'";]*?\bfrom\s*'([^']+)'|^import\s*'([^']+)'|\bimport\('([^']+)'\)/gm;

const imports: readonly Import[] = [...textOf].flatMap(([from, text]) =>
  [...text.matchAll(IMPORT)].map((match) => {
    const to = match[1] ?? match[2] ?? match[3] ?? '';
    return { from, to: to.startsWith('.') ? relative(SRC, join(SRC, dirname(from), to)) : to };
  }),
);
const local = imports.filter(({ to }) => isLocal(to));

describe('layers', () => {
  it('lets imports go down only', () => {
    const broken = [...local.filter(goesUp), ...local.filter(goesUpInFacts)];

    expectOnly(
      broken.map(({ from, to }) => `src/${from} must not import ${to}`),
      VIOLATIONS.imports,
    );
  });

  it('keeps SDKs, files, clocks and the environment out of the lower layers', () => {
    const broken = imports.filter(
      ({ from, to }) => NO_IO.has(from.split('/')[0] ?? '') && !isLocal(to) && !PURE_PACKAGES.has(to),
    );

    expect(broken.map(({ from, to }) => `src/${from} must not import ${to}`)).toEqual([]);
  });

  it('reads the environment in one place and time in another', () => {
    const broken = [...textOf].flatMap(([name, whole]) => {
      const text = whole.replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '');
      const found: string[] = [];
      if (/process\.env\b/.test(text) && name !== 'config.ts') found.push(`src/${name} reads process.env`);
      const timed = /\b(Date\.now\(|setTimeout\(|setInterval\(|new Date\(\))/.test(text);
      if (timed && !/^(system|standins|playground)\//.test(name)) found.push(`src/${name} reads the clock`);
      return found;
    });

    expect(broken).toEqual([]);
  });

  it('has no import cycle between files', () => {
    expect(cyclesOf(local)).toEqual([]);
  });

  it('has no import cycle between folders', () => {
    // What lies in src itself is no folder.
    const folderOf = (name: string) => (name.includes('/') ? dirname(name) : name);
    const between = local.map(({ from, to }) => ({ from: folderOf(from), to: folderOf(to) }));
    const cycles = cyclesOf(between.filter(({ from, to }) => from !== to));
    const within = (cycle: readonly string[], known: readonly string[]) => cycle.every((one) => known.includes(one));

    const unknown = cycles.filter((cycle) => !VIOLATIONS.cycles.some((known) => within(cycle, known)));
    expect(unknown).toEqual([]);
    const gone = VIOLATIONS.cycles.filter((known) => !cycles.some((cycle) => within(cycle, known)));
    expect(gone, 'no longer cycles: remove them from VIOLATIONS').toEqual([]);
  });

  it('defines a fact only in the folder that owns the first word of its id', () => {
    const broken = [...textOf].flatMap(([name, text]) => {
      const [top, folder, rest] = name.split('/');
      if (top !== 'facts' || rest === undefined || folder === undefined) return [];
      const ids = [...text.matchAll(FACT_KEY)].map(([, id = '']) => id);
      const foreign = ids.filter((id) => WORDS.has(wordOf(id)) && !FACT_WORDS[folder]?.includes(wordOf(id)));
      return [...new Set(foreign)].map((id) => `src/${name} must not define ${id}`);
    });

    expectOnly(broken, VIOLATIONS.facts);
  });

  it('has no file over 250 lines', () => {
    const long = [...textOf]
      .filter(([name]) => !name.endsWith('.data.ts'))
      .map(([name, text]) => ({ name, lines: text.split('\n').length - 1 }))
      .filter(({ lines }) => lines > 250);

    expectOnly(
      long.map(({ name }) => `src/${name}`),
      VIOLATIONS.files,
    );
  });

  it('names its files in kebab-case', () => {
    const odd = files.filter((name) => !/^[a-z0-9-]+(\.data)?\.tsx?$/.test(name.split('/').at(-1) ?? ''));

    expect(odd).toEqual([]);
  });
});

// `'gpu.total': {` where a fact is defined and `'gpu.total': value` where it is derived.
const FACT_KEY = /^ *'([a-z0-9-]+(?:\.[a-z0-9-]+)+)':/gm;
const WORDS = new Set(Object.values(FACT_WORDS).flat());

function wordOf(id: string): string {
  return id.split('.')[0] ?? '';
}

function isLocal(to: string): boolean {
  return /\.tsx?$/.test(to) || to.endsWith('.json') || to.startsWith('..');
}

function goesUp({ from, to }: Import): boolean {
  const [folder = '', rest] = from.split('/');
  const allowed = rest === undefined ? undefined : MAY_IMPORT[folder];
  if (allowed === undefined || to.startsWith(`${folder}/`)) return false;
  return !allowed.some((place) => to === place || to.startsWith(`${place}/`));
}

function goesUpInFacts({ from, to }: Import): boolean {
  const [a, b] = [from, to].map(factLayer);
  return a !== undefined && b !== undefined && b > a;
}

function factLayer(name: string): number | undefined {
  const [top, folder, rest] = name.split('/');
  const layer = FACT_LAYERS.findIndex((folders) => (folders as readonly string[]).includes(folder ?? ''));
  return top === 'facts' && rest !== undefined && layer >= 0 ? layer : undefined;
}

/** What is found is listed, and what is listed is found. */
function expectOnly(found: readonly string[], listed: readonly string[]): void {
  expect(found.filter((one) => !listed.includes(one))).toEqual([]);
  expect(
    listed.filter((one) => !found.includes(one)),
    'no longer violations: remove them from VIOLATIONS',
  ).toEqual([]);
}

/** The sets of names that import each other in a circle (Tarjan's strongly connected components), each sorted. */
function cyclesOf(edges: readonly Import[]): string[][] {
  const next = Map.groupBy(edges, ({ from }) => from);
  const order = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const cycles: string[][] = [];
  const visit = (name: string): void => {
    order.set(name, order.size);
    low.set(name, order.size - 1);
    stack.push(name);
    for (const { to } of next.get(name) ?? []) {
      if (!order.has(to)) visit(to);
      if (stack.includes(to)) low.set(name, Math.min(low.get(name) ?? 0, low.get(to) ?? 0));
    }
    if (low.get(name) !== order.get(name)) return;
    const cycle = stack.splice(stack.indexOf(name));
    if (cycle.length > 1) cycles.push(cycle.toSorted());
  };
  for (const name of next.keys()) if (!order.has(name)) visit(name);
  return cycles;
}
