import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it, onTestFinished } from 'vitest';

const MAIN = join(import.meta.dirname, '../../src/standins/scenarios/serve-scenario.ts');

async function startProcess(args: readonly string[]) {
  const child: ChildProcess = spawn(process.execPath, [MAIN, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(async () => {
    if (child.kill()) await once(child, 'exit');
  });
  const [line] = (await once(createInterface({ input: child.stdout! }), 'line')) as [string];
  const { url } = JSON.parse(line) as { url: string };
  const ask = async (path: string, init?: RequestInit) => (await fetch(`${url}${path}`, init)).json();
  const tell = (what: string, body: unknown) =>
    ask(`/_standin/${what}`, { method: 'POST', body: JSON.stringify(body) });
  return { url, ask, tell };
}

describe('the stand-in in a process of its own', () => {
  it('serves a scenario from a file, is told faults and time, and shows its write log', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'oom-standin-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'scenario.json');
    writeFileSync(file, JSON.stringify({ scenario: 'some-serving', life: { terminateMs: 1000 } }));
    const { url, ask, tell } = await startProcess([file, '--speed', '0']);
    const patch = () =>
      fetch(`${url}/apis/apps/v1/namespaces/llm/deployments/vllm-server`, {
        method: 'PATCH',
        headers: { 'content-type': 'application/json-patch+json' },
        body: JSON.stringify([{ op: 'replace', path: '/spec/replicas', value: 0 }]),
      });
    await tell('fault', { place: 'PATCH', fault: { kind: 'drop' }, times: 1 });

    await expect(patch()).rejects.toThrow();
    const { status } = await patch();
    await tell('advance', { ms: 3000 });

    expect(status).toBe(200);
    const outcomes = ((await ask('/_standin/writes')) as { outcome: string }[]).map(({ outcome }) => outcome);
    expect(outcomes).toEqual(['not-done', 'applied']);
    expect(((await ask('/api/v1/namespaces/llm/pods')) as { items: unknown[] }).items).toEqual([]);
  });
});
