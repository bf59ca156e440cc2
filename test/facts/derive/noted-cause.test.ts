import { describe, expect, it } from 'vitest';
import { diagnoseSource } from '../../../src/app/triage/diagnose.ts';
import { aSnapshot, COMPILED_PHRASES, judge } from '../../playbooks/shipped.ts';

const OOM =
  'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.75 GiB. GPU 0 has a total capacity of 39.39 GiB of which 2.19 GiB is free.';

async function judged(files: Readonly<Record<string, string>>) {
  const { diagnosis, facts } = await diagnoseSource(aSnapshot(files), { phrases: COMPILED_PHRASES, judge });
  const value = (id: string) => {
    const fact = facts.get(id);
    return fact?.kind === 'known' ? fact.value : undefined;
  };
  return { verdict: diagnosis.verdict, value };
}

const AGE = (uptime: string) => ({ 'incident.json': JSON.stringify({ engine: 'vllm', uptime }) });

describe('what is noted beside a proved failure of GPU memory', () => {
  it.each([
    ['text only is answered. Now with one photo (3000x4000):', 'gpu.burst.multimodal'],
    ['the first request with an image', 'gpu.burst.multimodal'],
    ['pulled the image of yesterday', 'nothing'],
    ['each prompt has about 80k tokens, short ones are answered', 'gpu.burst.long-context'],
    ['an adapter raises it when the input is longer than 8k tokens', 'gpu.burst.long-context'],
    ['requests of an adapter fail once input token > 8k', 'gpu.burst.long-context'],
    ['it fails with inputs over 12000 tokens', 'gpu.burst.long-context'],
    ['no input is longer than 512 tokens', 'nothing'],
    ['comes with prompt_logprobs=5 and with nothing else', 'gpu.burst.logits'],
    ['61440 input tokens, return_context_logits = true; with false it is answered', 'gpu.burst.logits'],
    ['a prompt of 27k tokens, prefill_step_size=65536', 'gpu.burst.batched-tokens'],
    ['a query with a batch size that is too large', 'gpu.burst.batched-tokens'],
    ['8 users at a time', 'nothing'],
    ['this is the third GPU that we tried', 'nothing'],
    ['logprobs stay disabled for all clients', 'nothing'],
    ['it has served prompts of 32k tokens for weeks without trouble', 'nothing'],
    ['the vision model next door gets pictures of 4000x3000', 'nothing'],
    ['last year on the A100 lowering --max-model-len to 8192 cured another crash', 'nothing'],
  ])('while it serves: %s', async (remark, cause) => {
    const { verdict, value } = await judged({ 'previous.log': `# ${remark}\n${OOM}\n`, ...AGE('minutes') });

    expect(value('log.noted-gpu-cause')).toBe(cause);
    expect(verdict).toMatchObject({ plane: 'gpu', phase: 'burst', certain: true, causeCertain: false });
    if (cause !== 'nothing') expect(verdict).toMatchObject({ finding: 'gpu-burst-noted', cause });
  });

  it('names a growth of RAM, as sure of the memory as without it', async () => {
    const killed =
      'Apr 15 16:22:58 ml-2 systemd[1]: llm.service: A process of this unit has been killed by the OOM killer.';
    const ofRam = (remark: string) => judged({ 'previous.log': `# ${remark}\n${killed}\n`, ...AGE('50 minutes') });

    expect((await ofRam('RSS grows with every prompt')).verdict).toMatchObject({
      finding: 'host-leak-told',
      phase: 'chronic',
      cause: 'host.chronic.leak',
      certain: true,
      causeCertain: false,
    });
    expect((await ofRam('RSS is flat')).verdict).toMatchObject({ phase: 'burst', certain: true, causeCertain: false });
  });

  const BARE = 'CUDA error: out of memory\n  current device: 0, in function alloc at ggml-cuda.cu:233\n';

  it.each([
    ['a game launcher and a browser hold about 4 GB of the card', 'gpu-startup-shared-noted'],
    ['the old server was still there and held 9 GB', 'gpu-startup-shared-noted'],
    ['a restart left two shard processes running', 'gpu-startup-shared-noted'],
    ['the previous run came up with the same flags', undefined],
    ['old kernel 5.4, new kernel 6.8', undefined],
    ['time-slicing is off, the card is exclusive', undefined],
  ])('while it starts: %s', async (remark, finding) => {
    const files = { 'previous.log': `# ${remark}\n${BARE}`, ...AGE('startup') };
    const { verdict } = await judged(files);

    expect(verdict).toMatchObject({ plane: 'gpu', phase: 'startup', certain: true });
    expect(verdict.finding === 'gpu-startup-shared-noted').toBe(finding !== undefined);
  });

  it.each([
    ['| one after the other | 4.72 GiB | 2.82 GiB |', '| both at once | 1.84 GiB | -3.21 GiB -> ValueError |', true],
    ['# sequential starts are fine', '# at the same second the second one fails', true],
    ['# started one by one both come up, at the same time the larger one dies', '', true],
    ['| one after the other | 4.72 GiB | 2.82 GiB |', '| both at once | 4.70 GiB | 2.80 GiB |', false],
    ['# sequential starts fail', '# at once they fail, too', false],
    ['# 4 requests one after the other are answered', '# 64 requests at once and it dies', false],
    ['# at the same time something else failed', '', false],
  ])('tells that engines started at once from what one has no room for: %s %s', async (first, second, isTogether) => {
    const { verdict, value } = await judged({
      'metrics.txt': `${first}\n${second}\n`,
      'previous.log': 'ValueError: No available memory for the cache blocks\n',
      ...AGE('startup'),
    });

    expect(value('log.noted-gpu-cause') === 'gpu.startup.shared-gpu').toBe(isTogether);
    expect(verdict).toMatchObject({ plane: 'gpu', phase: 'startup', certain: true, causeCertain: !isTogether });
    expect(verdict.finding).toBe(isTogether ? 'gpu-startup-room-noted' : 'gpu-startup-kv-room');
  });

  it('says less than the account of the card', async () => {
    const account = `${OOM} Of the allocated memory 36.00 GiB is allocated by PyTorch, and 1.10 GiB is reserved by PyTorch but unallocated.`;
    const { verdict } = await judged({
      'previous.log': `# a game launcher and a browser hold about 4 GB of the card\n${account}\n`,
      ...AGE('startup'),
    });

    expect(verdict.finding).not.toBe('gpu-startup-shared-noted');
  });

  it('is nothing where no line proves one', async () => {
    const { value } = await judged({ 'previous.log': '# ends with one photo of 3000x4000\nINFO ready\n' });

    expect(value('log.noted-gpu-cause')).toBe('nothing');
  });
});

describe('what is noted beside a proved kill', () => {
  const KILLED = {
    'describe.txt':
      'Containers:\n  vllm:\n    Last State:     Terminated\n      Reason:       OOMKilled\n      Exit Code:    137\n',
    'previous.log': 'INFO 03-11 11:08:52 metrics.py:455] Running: 4 reqs, Waiting: 0 reqs\n',
    ...AGE('minutes'),
  };

  it.each([
    ['hicache-ratio 2.0, no traffic   226 GiB\nhicache-ratio 2.0, long run   319 GiB\n', true],
    ['LMCACHE_MAX_LOCAL_CPU_SIZE=60, limit 64 GB\n', true],
    // Without a size nothing tells that it was taken.
    ['an lmcache server runs on the head node\n', false],
    ['--cpu-offload-gb 0, node RAM 512 GB\n', false],
    ['LMCache: off, RAM 512 GB\n', false],
    ['swap-space 16 GB was taken out\n', false],
    ['hicache comes next quarter, with 128 GB\n', false],
  ])('%s', async (metrics, isNoted) => {
    const { verdict, value } = await judged({ ...KILLED, 'metrics.txt': metrics });

    expect(value('ram.offload-noted')).toBe(isNoted);
    expect(verdict).toMatchObject({ plane: 'host', phase: 'burst' });
    expect(verdict.cause === 'host.offload').toBe(isNoted);
  });
});
