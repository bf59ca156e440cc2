import nock from 'nock';
import { afterEach, vi } from 'vitest';
import type * as Wired from '../src/wire/knowledge.ts';

// Loopback stand-ins are real servers; every other host must be mocked.
nock.disableNetConnect();
nock.enableNetConnect(/^(127\.0\.0\.1|localhost|\[::1\]):/);

// Parsing the shipped playbooks takes longer than most commands, so each worker does it once.
const worker = globalThis as { shippedKnowledge?: Promise<Wired.Knowledge> };

vi.mock('../src/wire/knowledge.ts', async (original) => {
  const wired = await original<typeof Wired>();
  const loadKnowledge: typeof wired.loadKnowledge = async (dirs) => {
    if (dirs.length > 1) return wired.loadKnowledge(dirs, BREATHING);
    worker.shippedKnowledge ??= wired.loadKnowledge(dirs, BREATHING);
    return worker.shippedKnowledge;
  };
  return { ...wired, loadKnowledge };
});

const BREATHING = { breathe: () => new Promise<void>((resolve) => setImmediate(resolve)) };

afterEach(() => {
  const pending = nock.pendingMocks();
  nock.cleanAll();
  if (pending.length > 0) throw new Error(`mocks without a request: ${pending.join(', ')}`);
});
