import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type HistoryDeps, readHistory } from '../../../src/app/lifecycle/history.ts';
import type { Store } from '../../../src/app/ports.ts';
import type { Actor } from '../../../src/model/authorise.ts';
import { toOomError } from '../../../src/model/errors.ts';
import type { FindingName } from '../../../src/model/feedback.ts';
import type { Cause, Phase, Plane } from '../../../src/model/taxonomy.ts';
import { drawTerminal } from '../../../src/report/terminal.ts';
import { aFinding } from '../../contracts/store.ts';
import { createFakeClock, START } from '../../fakes/clock.ts';
import { createMemoryStore } from '../../fakes/memory-store.ts';
import { recordTerminal } from '../../fakes/terminal.ts';
import { exampleDiagnosis } from '../../model/examples.ts';

const DAY_MS = 86_400_000;
const ME: Actor = { place: 'terminal', user: 'U_ONCALL' };
const FINDINGS: readonly FindingName[] = [
  { id: 'gpu-burst-logits', plane: 'gpu', phases: ['burst'], causes: ['gpu.burst.logits'], name: 'Prompt logprobs' },
  {
    id: 'ram-load',
    plane: 'host',
    phases: ['startup'],
    causes: ['host.startup.weight-staging'],
    name: 'RAM ran out while loading',
  },
];

type Row = readonly [workload: string, plane: Plane, phase: Phase, cause: Cause, finding: string, daysAgo: number];
const ROWS: readonly Row[] = [
  ['Deployment/chat', 'gpu', 'burst', 'gpu.burst.logits', 'gpu-burst-logits', 1],
  ['Deployment/chat', 'host', 'startup', 'host.startup.limit', 'ram-load', 3],
  ['StatefulSet/code', 'gpu', 'startup', 'gpu.startup.weights', 'gpu-weights', 5],
  ['StatefulSet/code', 'gpu', 'burst', 'gpu.burst.long-context', 'gpu-long', 20],
  ['Deployment/rag', 'none', 'n/a', 'none.scheduling', 'pending', 40],
];

let store: Awaited<ReturnType<typeof createMemoryStore>>;
let deps: HistoryDeps;

beforeEach(async () => {
  store = createMemoryStore();
  for (const [i, row] of ROWS.entries()) await record(store, row, `key-${i}`);
  deps = {
    ...{ store, clock: createFakeClock(), commandName: '/oom', findings: () => FINDINGS },
    rights: { channels: {}, defaultChannel: null, act: [] },
  };
});
afterEach(() => store.close());

async function record(into: Store, [workload, plane, phase, cause, finding, daysAgo]: Row, key: string): Promise<void> {
  const verdict = { ...exampleDiagnosis.verdict, plane, phase, cause, finding };
  const diagnosis = { ...exampleDiagnosis, verdict };
  await into.recordFinding(aFinding({ at: START - daysAgo * DAY_MS, diagnosis, draft: { key, workload, verdict } }));
}

/** The answer in one line. */
async function history(text: string): Promise<string> {
  const message = await readHistory(deps, ME, text);
  return drawTerminal(message, { ...recordTerminal().terminal, width: 1000 }).replace(/\s+/g, ' ');
}

/** The first letters of the workloads listed, newest first, with their day. */
async function found(text: string): Promise<string> {
  const told = await history(text);
  return [...told.matchAll(/\/(chat|code|rag), (\d+) (?:d|h) ago/g)]
    .map(([, name, ago]) => `${name} ${ago}`)
    .join(', ');
}

const ALL = 'chat 24, chat 3, code 5, code 20, rag 40';

describe('history is searched', () => {
  it.each([
    ['', ALL],
    ['chat', 'chat 24, chat 3'],
    ['prompt-chat cuda', 'refused'],
    ['--cause gpu.burst.logits', 'chat 24'],
    ['--cause gpu.burst', 'chat 24, code 20'],
    ['--cause gpu', 'chat 24, code 5, code 20'],
    ['cuda oom', 'chat 24, code 5, code 20'],
    ['--cause CUDA OOM', 'chat 24, code 5, code 20'],
    ['--cause oomkilled', 'chat 3'],
    ['--cause logprobs', 'chat 24'],
    ['--cause scheduling', 'rag 40'],
    ['--cause kv cache', 'code 20'],
    ['--cause gpu-burst-logits', 'chat 24'],
    ['--cause ram-load', 'chat 3'],
    ['code --cause long prompts', 'code 20'],
    ['--since 7d', 'chat 24, chat 3, code 5'],
    ['—since 7d', 'chat 24, chat 3, code 5'],
    ['--since=1w code', 'refused'],
    ['code --since=1w', 'code 5'],
    ['--until 2w', 'code 20, rag 40'],
    ['--since 30d --until 4d', 'code 5, code 20'],
    ['--cause gpu --since 7d', 'chat 24, code 5'],
  ])('%s', async (text, expected) => {
    expect(await found(text).catch(() => 'refused')).toBe(expected);
  });

  it('by date in UTC, to the end of the last day', async () => {
    const day = (daysAgo: number) => new Date(START - daysAgo * DAY_MS).toISOString().slice(0, 10);

    expect(await found(`--since ${day(5)} --until ${day(3)}`)).toBe('chat 3, code 5');
    expect(await found(`--since ${day(5)}T23:59 --until ${day(3)}`)).toBe('chat 3');
  });

  it('and says what it searched, page by page', async () => {
    for (let i = 0; i < 20; i += 1) {
      await record(store, ['Deployment/chat', 'gpu', 'burst', 'gpu.burst.logits', 'x', 0], `more-${i}`);
    }

    const second = await history('chat --cause gpu.burst --since 7d 2');
    const [, again = ''] = /another page: \/oom (history .*?) <page>/.exec(second) ?? [];

    expect(second).toContain('21 incidents of chat with cause “gpu.burst” since ');
    expect(second).toContain('Page 2 of 2');
    expect(again).toMatch(/^history chat --cause gpu.burst --since \d{4}-\d\d-\d\dT\d\d:\d\d$/);
    expect(await history(`${again.replace('history ', '')} 2`)).toContain('Page 2 of 2');
    expect(await history('chat --cause shared gpu')).toContain('No incidents of chat with cause “shared gpu”.');
  });

  it.each([
    ['--since soon', '--since takes a time, not “soon”: use `7d`'],
    ['--since', '--since takes a time, not nothing'],
    ['--since 2026-02-30', 'there is no such date'],
    ['--since 2099-01-01', 'which is in the future'],
    ['--since 1d --until 2d', '--since is not before --until'],
    ['--since 1d --since 2d', '--since is given twice'],
    ['--sinse 1d', 'Unknown option --sinse. Did you mean `--since`?'],
    ['--cause', '--cause needs a cause'],
    ['--cause gpu.brust.logits', 'Did you mean `/oom history --cause gpu.burst.logits`?'],
    ['--cause flux capacitor', 'No cause is called “flux capacitor”.'],
    ['chatt', 'Did you mean `chat`?'],
    ['chat --accuracy', 'Unexpected “chat” with --accuracy'],
  ])('%s is refused', async (text, says) => {
    const error = toOomError(await readHistory(deps, ME, text).catch((thrown: unknown) => thrown));

    expect(`${error.message} ${error.next}`).toContain(says);
    expect(error.code).not.toBe('internal');
  });
});
