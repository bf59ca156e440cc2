import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const SRC = join(ROOT, 'src');

const PURE = ['facts', 'playbook', 'report', 'snapshot', 'actions', 'budget'];
const EDGES = ['kubernetes', 'metrics', 'slack', 'store', 'folder', 'system', 'steps'];

// What each room may import of the project, besides itself.
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  model: [],
  ...Object.fromEntries(PURE.map((room) => [room, ['model']])),
  app: ['model', ...PURE],
  ...Object.fromEntries(EDGES.map((room) => [room, ['model', 'app/ports.ts', 'app/acting-ports.ts']])),
  // The exposition format is read in one place.
  metrics: ['model', 'app/ports.ts', 'app/acting-ports.ts', 'facts/text/prometheus.ts'],
  slack: ['model', 'app', 'report'],
  standins: ['model', 'slack/limits/message-limits.ts'],
};

// The ground floors do no I/O: of Node they may only hash.
const GROUND = new Set(['model', 'app', ...PURE]);
const GROUND_PACKAGES = new Set(['zod', 'yaml', 'fastest-levenshtein', 'diff', 'node:crypto']);

type Import = { readonly from: string; readonly to: string };

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((name) => /\.tsx?$/.test(name));
// Statements that import or export from another file, and import('...'); not the word `from` in some text.
const IMPORT = /^(?:import|export)\b[^'";]*?\bfrom\s*'([^']+)'|^import\s*'([^']+)'|\bimport\('([^']+)'\)/gm;

const imports: Import[] = files.flatMap((from) =>
  [...readFileSync(join(SRC, from), 'utf8').matchAll(IMPORT)].map((match) => {
    const to = match[1] ?? match[2] ?? match[3] ?? '';
    return { from, to: to.startsWith('.') ? relative(SRC, join(SRC, dirname(from), to)) : to };
  }),
);

function isLocal(to: string): boolean {
  return /\.tsx?$/.test(to) || to.endsWith('.json') || to.startsWith('..');
}

describe('the house', () => {
  it('lets imports go down only', () => {
    const broken = imports.filter(({ from, to }) => {
      const [room, rest] = from.split('/');
      if (rest === undefined || !isLocal(to)) return false;
      const allowed = MAY_IMPORT[room ?? ''];
      if (allowed === undefined || to.startsWith(`${room}/`)) return false;
      return !allowed.some((place) => to === place || to.startsWith(`${place}/`));
    });

    expect(broken.map(({ from, to }) => `src/${from} must not import ${to}`)).toEqual([]);
  });

  it('keeps SDKs, files, clocks and the environment off the ground floors', () => {
    const broken = imports.filter(
      ({ from, to }) => GROUND.has(from.split('/')[0] ?? '') && !isLocal(to) && !GROUND_PACKAGES.has(to),
    );

    expect(broken.map(({ from, to }) => `src/${from} must not import ${to}`)).toEqual([]);
  });

  it('reads the environment in one place and time in another', () => {
    const broken = files.flatMap((name) => {
      const text = readFileSync(join(SRC, name), 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '');
      const found: string[] = [];
      if (/process\.env\b/.test(text) && name !== 'config.ts') found.push(`src/${name} reads process.env`);
      const timed = /\b(Date\.now\(|setTimeout\(|setInterval\(|new Date\(\))/.test(text);
      if (timed && !/^(system|standins|playground)\//.test(name)) found.push(`src/${name} reads the clock`);
      return found;
    });

    expect(broken).toEqual([]);
  });

  it('has no import cycle', () => {
    const next = new Map<string, string[]>();
    for (const { from, to } of imports) if (isLocal(to)) next.set(from, [...(next.get(from) ?? []), to]);

    expect(cyclesOf(next)).toEqual([]);
  });

  it('has no file that one could not keep in one’s head', () => {
    const long = files
      .filter((name) => !name.endsWith('.data.ts'))
      .map((name) => ({ name, lines: readFileSync(join(SRC, name), 'utf8').split('\n').length - 1 }))
      .filter(({ lines }) => lines > 250);

    expect(long.map(({ name, lines }) => `src/${name} has ${lines} lines`)).toEqual([]);
  });

  it('names its files in kebab-case and exports by name', () => {
    const odd = files.filter((name) => !/^[a-z0-9-]+(\.data)?\.tsx?$/.test(name.split('/').at(-1) ?? ''));

    expect(odd).toEqual([]);
  });
});

function cyclesOf(next: ReadonlyMap<string, readonly string[]>): string[] {
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (file: string, way: readonly string[]): void => {
    if (way.includes(file)) cycles.push([...way.slice(way.indexOf(file)), file].join(' -> '));
    if (done.has(file) || way.includes(file)) return;
    for (const to of next.get(file) ?? []) visit(to, [...way, file]);
    done.add(file);
  };
  for (const file of next.keys()) visit(file, []);
  return cycles;
}
