import { describe, expect, it } from 'vitest';
import { readFacts } from '../../../src/app/triage/diagnose.ts';
import { BOOK } from '../../playbooks/book.ts';
import { aSnapshot, COMPILED_PHRASES } from '../../playbooks/shipped.ts';

const GIB = 1024 ** 3;
const VL = 'Qwen/Qwen2.5-VL-7B-Instruct';

async function cacheOf(args: string, version = '0.11.0', model = VL) {
  const files = {
    'args.txt': `vllm serve ${model} ${args}\n`,
    'previous.log': `INFO 02-01 09:00:11 [api_server.py:1896] vLLM API server version ${version}\n`,
  };
  const all = (await readFacts(aSnapshot(files), COMPILED_PHRASES, BOOK)).get('ram.media-cache');
  return all?.kind === 'known' ? Number(all.value) / GIB : undefined;
}

describe('the cache of media of vLLM', () => {
  it.each([
    ['is kept by the server and the engine, 4 GiB each', '', 8],
    ['is kept by each API server', '--api-server-count 8', 36],
    ['is kept by each engine, and by as many servers', '--data-parallel-size 4', 32],
    ['is as large as was told', '--mm-processor-cache-gb 0.5 --api-server-count 3', 2],
    ['is off', '--mm-processor-cache-gb 0', undefined],
    ['is off by the older flag', '--disable-mm-preprocessor-cache', undefined],
    ['lies in shared memory, which has a size of its own', '--mm-processor-cache-type shm', undefined],
  ])('%s', async (_, args, gib) => {
    expect(await cacheOf(args)).toBe(gib);
  });

  it('is not there for text, nor known of versions before the flag', async () => {
    expect(await cacheOf('', '0.11.0', 'Qwen/Qwen3-8B')).toBeUndefined();
    expect(await cacheOf('', '0.9.2')).toBeUndefined();
  });
});
