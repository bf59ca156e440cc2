import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { atLeast, bundle, type Figure, holds, median, runChild } from './harness.ts';
import { writeSyntheticLog } from './synthetic-log.ts';

const PLAYBOOKS = 'playbooks';
const ROUNDS = 3;
const LARGE = 200_000_000;
// Up to some 200 MB the collector lets the heap grow to its working size; what grows beyond that would be a leak.
const LARGER = 2 * LARGE;

/** Our scan against ripgrep and grep with the same literals on the same file in the same run, in turns; and its memory by size. */
export async function benchScan(): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'oom-scan-'));
  try {
    const module = await bundle('bench/scan-child.ts');
    const ours = (log: string) => runChild<{ ms: number; hits: number; peakMiB: number }>(module, [PLAYBOOKS, log]);
    const literals = join(folder, 'literals.txt');
    writeFileSync(literals, runChild<string[]>(module, [PLAYBOOKS]).join('\n'));
    const large = join(folder, 'large.log');
    const larger = join(folder, 'larger.log');
    writeSyntheticLog(large, LARGE, 120);
    writeSyntheticLog(larger, LARGER, 120);
    const times = { ours: [] as number[], rg: [] as number[], grep: [] as number[] };
    const peaks = { large: [] as number[], larger: [] as number[] };
    const hasRipgrep = spawnSync('rg', ['--version']).status === 0;
    for (let round = 0; round < ROUNDS; round++) {
      const { ms, peakMiB } = ours(large);
      times.ours.push(ms);
      peaks.large.push(peakMiB);
      peaks.larger.push(ours(larger).peakMiB);
      if (hasRipgrep) times.rg.push(timed('rg', ['-j1', '-c', '-F', '-f', literals, large]));
      times.grep.push(timed('grep', ['-c', '-F', '-f', literals, large]));
    }
    const speed = (ms: number) => `${(LARGE / 1000 / ms).toFixed(0)} MB/s`;
    // A leak raises the lowest peak as well; the moment of a collection raises only some.
    const memory = { large: Math.min(...peaks.large), larger: Math.min(...peaks.larger) };
    const said = `ours ${speed(median(times.ours))}`;
    return [
      hasRipgrep
        ? atLeast(`scan of 200 MB against ripgrep (${said})`, median(times.rg) / median(times.ours), 0.3)
        : { name: 'scan against ripgrep', seen: 'rg is not on PATH', budget: '>= 0.3', ok: 'skipped' },
      atLeast('scan of 200 MB against LC_ALL=C grep -F', median(times.grep) / median(times.ours), 0.8),
      holds(
        `memory at 400 MB against 200 MB (${memory.larger.toFixed(0)} and ${memory.large.toFixed(0)} MiB)`,
        memory.larger / memory.large,
        1.15,
        '',
      ),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function timed(command: string, args: readonly string[]): number {
  const began = performance.now();
  spawnSync(command, args, { env: { ...process.env, LC_ALL: 'C' } });
  return performance.now() - began;
}
