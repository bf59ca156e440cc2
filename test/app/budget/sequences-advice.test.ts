import { expect, it } from 'vitest';
import { readFacts } from '../../../src/app/triage/diagnose.ts';
import { aSnapshot, BOOK, COMPILED_SIGNATURES } from '../../playbooks/shipped.ts';

async function factOf(id: string, files: Readonly<Record<string, string>>): Promise<unknown> {
  const fact = (await readFacts(aSnapshot(files), COMPILED_SIGNATURES, BOOK)).get(id);
  return fact?.kind === 'known' ? [fact.value, ...fact.from.map(({ file }) => file)] : undefined;
}

const metrics = 'sglang:num_running_reqs 93\nsglang:num_queue_reqs 40\n';
const full =
  '[2026-09-14 10:40:00] The server is fired up and ready to roll!\n[2026-09-14 10:45:00] INFO:     10.1.2.3:40412 - "POST /generate HTTP/1.1" 200 OK\nRuntimeError: Decode out of memory. Try to lower your batch size.\n';
const args = (flags: string) => `python -m sglang.launch_server --model-path acme/m ${flags}\n`;
const starting =
  '[2026-09-14 10:00:10] Load weight begin. avail mem=78.50 GB\ntorch.OutOfMemoryError: CUDA out of memory.\n';

const counted = { 'previous.log': full, 'metrics.txt': metrics };
it.each<[string, Readonly<Record<string, string>>, flags: string, unknown]>([
  ['that ran, where more are allowed', counted, '--max-running-requests 2048', [46, 'metrics.txt']],
  ['that ran, where nothing bounds them', counted, '', [46, 'metrics.txt']],
  ['that are allowed, where fewer are than ran', counted, '--max-running-requests 64', [32, 'args.txt']],
  [
    'that are allowed, where nobody counted',
    { 'previous.log': full },
    '--max-running-requests 2048',
    [1024, 'args.txt'],
  ],
  [
    'that are allowed, at a start',
    { ...counted, 'previous.log': starting },
    '--max-running-requests 2048',
    [1024, 'args.txt'],
  ],
  [
    'of one is none',
    { ...counted, 'metrics.txt': 'sglang:num_running_reqs 1\n' },
    '--max-running-requests 2048',
    undefined,
  ],
])('half of the sequences: %s', async (_what, logs, flags, expected) => {
  const files = { ...logs, 'args.txt': args(flags) };

  expect(await factOf('advice.max-num-seqs', files)).toEqual(expected);
});
