import { describe, expect, it } from 'vitest';
import { readFacts } from '../../../src/app/triage/diagnose.ts';
import { aSnapshot, COMPILED_PHRASES } from '../../playbooks/shipped.ts';

const KILL =
  '[812340.21] Memory cgroup out of memory: Killed process 40207 (python3) total-vm:61948744kB, anon-rss:30721344kB, file-rss:0kB, shmem-rss:0kB, UID:0 pgtables:68000kB oom_score_adj:-997\n';
const LOG = [
  'INFO 09-14 10:00:31 [core.py:69] Initializing a V1 LLM engine (v0.9.2) with config: model=m',
  'INFO 09-14 10:00:36 [gpu_model_runner.py:1770] Starting to load model acme/osprey-24b...',
  'INFO:     Application startup complete.',
  'INFO:     10.1.2.3:40412 - "POST /v1/chat/completions HTTP/1.1" 200 OK',
  'INFO:     10.1.2.3:40414 - "POST /v1/chat/completions HTTP/1.1" 200 OK',
  'INFO 09-14 10:46:58 [loggers.py:118] Engine 000: Running: 12 reqs, Waiting: 3 reqs, GPU KV cache usage: 63.2%, Prefix cache hit rate: 0.0%',
].join('\n');

describe('a kill that stands in the kernel log', () => {
  it('says by the number of its line nothing of how far the log of the engine had come', async () => {
    const facts = await readFacts(aSnapshot({ 'kernel.txt': KILL, 'previous.log': `${LOG}\n` }), COMPILED_PHRASES);

    expect(facts.get('evidence.plane')).toMatchObject({ value: 'host' });
    expect(facts.get('failure.life')).toMatchObject({ value: 'serving' });
    expect(facts.get('engine.last-milestone')).toMatchObject({ value: 'served' });
    expect(facts.get('kv-cache.used-share')).toMatchObject({ value: 0.632 });
    expect(facts.get('requests.served')).toMatchObject({ value: 'more' });
  });
});
