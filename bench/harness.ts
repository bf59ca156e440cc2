import { execFileSync } from 'node:child_process';
import { basename, resolve } from 'node:path';
import { build } from 'esbuild';

/** A figure of the bench: what was seen, its budget, and whether it holds. */
export type Figure = {
  readonly name: string;
  readonly seen: string;
  readonly budget: string;
  readonly ok: boolean | 'skipped';
};

/** Milliseconds at a share of a list, by rank. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

/** Bundles one bench file as the product is bundled; answers the path of the module. */
export async function bundle(entry: string): Promise<string> {
  // One level below the root, as dist/ is, so that the bundle finds the playbooks.
  const outfile = resolve('.bench', `${basename(entry, '.ts')}.mjs`);
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node26',
    minifySyntax: true,
    minifyWhitespace: true,
    banner: {
      js: "import { createRequire as oomRequire } from 'node:module'; const require = oomRequire(import.meta.url);",
    },
    logLevel: 'error',
  });
  return outfile;
}

/** Runs a bundled bench file under this Node; answers what it printed last, parsed. */
export function runChild<T>(module: string, args: readonly string[] = []): T {
  const out = execFileSync(process.execPath, [module, ...args], {
    encoding: 'utf8',
    maxBuffer: 1 << 26,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return JSON.parse(out.trim().split('\n').at(-1) ?? '') as T;
}

export function holds(name: string, seen: number, budget: number, unit: string, digits = 2): Figure {
  return { name, seen: `${seen.toFixed(digits)}${unit}`, budget: `<= ${budget}${unit}`, ok: seen <= budget };
}

export function atLeast(name: string, seen: number, budget: number): Figure {
  return { name, seen: seen.toFixed(2), budget: `>= ${budget}`, ok: seen >= budget };
}

export function draw(figures: readonly Figure[]): string {
  const rows = figures.map(({ name, seen, budget, ok }) => [
    name,
    seen,
    budget,
    ok === 'skipped' ? 'skipped' : ok ? 'ok' : 'OVER',
  ]);
  const widths = [0, 1, 2, 3].map((i) => Math.max(...rows.map((row) => row[i]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
