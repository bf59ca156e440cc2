import { describe, expect, it } from 'vitest';
import { diagnoseSource } from '../../../src/app/triage/diagnose.ts';
import { card } from '../../../src/report/card.ts';
import { howSure } from '../../../src/report/words/confidence.ts';
import { labelOf } from '../../../src/report/words/verdict-words.ts';
import { aSnapshot, COMPILED_PHRASES, judge } from '../../playbooks/shipped.ts';

async function phaseOf(remark: string, log = '') {
  const source = aSnapshot({ 'previous.log': `${log}# ${remark}\n` });
  return (await diagnoseSource(source, { phrases: COMPILED_PHRASES, judge })).diagnosis.verdict.phase;
}

describe('when it failed, as people tell it', () => {
  it.each([
    ['killed while loading the weights', 'startup'],
    ['the process is killed at shard 14 of 30', 'startup'],
    ['the worker is killed before it is ready', 'startup'],
    ['加载模型时内存爆了', 'startup'],
    ['killed in the middle of a load', 'startup'],
    ['killed under load, 90 clients', 'burst'],
    ['the server is killed once a long conversation comes in', 'burst'],
    ['压测时内存爆了', 'burst'],
    ['killed, the model is some-7b-chat', 'n/a'],
    ['killed, a single copy-paste of that text is fine', 'burst'],
    ['killed during model weight loading', 'startup'],
    ['the new pod fails with OOMKilled', 'startup'],
    ['CUDA OOM at start', 'startup'],
    ['CUDA OOM; at start it used 30 GB, with documents 46 GB', 'burst'],
    ['CUDA OOM with contexts up to 200k', 'burst'],
    ['CUDA OOM with a context up to 200k', 'n/a'],
    ['the agent container is killed', 'n/a'],
    ['GPU KV cache usage 100 %, and the server hangs', 'burst'],
    ['loading an fp16 model as fp8 runs out of memory', 'startup'],
    ['killed while the data are loaded', 'startup'],
    ['CUDA OOM even with a very small max_model_len', 'startup'],
    ['CUDA OOM even with very short prompts', 'burst'],
    ['the actors are created, and one is killed', 'startup'],
    ['OOM at loss.backward()', 'burst'],
    ['killed', 'n/a'],
    ['killed; it did not clean up', 'n/a'],
    ['killed, the server is not up yet', 'startup'],
    ['killed, image 1.4 of the vendor', 'n/a'],
    ['killed; the log starts with a banner', 'n/a'],
  ])('%s', async (remark, phase) => {
    expect(await phaseOf(remark)).toBe(phase);
  });

  it.each([
    ['a request of the log’s start', 'a request then fails with CUDA out of memory', 'burst'],
    ['a request that raises', 'a LoRA request raises CUDA OutOfMemoryError when the input is long', 'burst'],
    ['a wake-up', '/wake_up fails with "CUDA error: out of memory"', 'burst'],
    ['no request', 'it loads for an hour', 'startup'],
  ])('%s beside a log that shows a start and no failure', async (_name, remark, phase) => {
    expect(
      await phaseOf(remark, 'INFO 04-09 17:31:13 model_runner.py:1115] Loading model weights took 14.9 GB\n'),
    ).toBe(phase);
  });

  it('dates what a line proves, which stays as certain of the memory and gets no more certain of its cause', async () => {
    const proof =
      'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 90.00 MiB. GPU 0 has a total capacity of 23.65 GiB of which 12.50 MiB is free.';
    const verdictOf = async (remark: string) =>
      (
        await diagnoseSource(aSnapshot({ 'previous.log': `${proof}\n${remark}` }), {
          phrases: COMPILED_PHRASES,
          judge,
        })
      ).diagnosis.verdict;

    expect(await verdictOf('')).toMatchObject({ plane: 'gpu', phase: 'n/a', certain: true, causeCertain: false });
    expect(await verdictOf('# while loading the weights\n')).toMatchObject({
      plane: 'gpu',
      phase: 'startup',
      certain: true,
      causeCertain: false,
    });
    expect(await verdictOf('# with 40 clients at once\n')).toMatchObject({
      plane: 'gpu',
      phase: 'burst',
      certain: true,
      causeCertain: false,
    });
  });

  it('is said to be told where the memory alone is proved', async () => {
    const proof = 'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 90.00 MiB.\n';
    const ready = 'INFO:     Application startup complete.\n';
    const words = async (log: string) => {
      const judged = await diagnoseSource(aSnapshot({ 'previous.log': log }), { phrases: COMPILED_PHRASES, judge });
      const { blocks } = card({ ...judged, capture: undefined, series: undefined, evidence: 'full' });
      const said = JSON.stringify(blocks);
      return {
        sure: howSure(judged.diagnosis, judged.facts),
        label: labelOf(judged.diagnosis.verdict, judged.facts),
        quotes: said.includes('When it was, a remark in the files tells') && said.includes('previous.log:2'),
      };
    };

    expect(await words(`${proof}# with 40 clients at once\n`)).toMatchObject({
      sure: expect.stringMatching(
        /^Certain: GPU memory ran out\. Not certain: when and why\. When it was, only a remark says\./,
      ),
      label: 'GPU memory, probably while serving',
      quotes: true,
    });
    expect(await words(`${ready}${proof}# with 40 clients at once\n`)).toMatchObject({
      sure: expect.stringMatching(/^Certain: GPU memory ran out while serving\. Not certain: why\. Likeliest/),
      label: 'GPU memory, while serving',
      quotes: false,
    });
  });
});
