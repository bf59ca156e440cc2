import { describe, expect, it } from 'vitest';
import { reckonBudget, whyFixed } from '../../../src/app/budget/budget.ts';
import { diagnoseSource, readEngineEvidence } from '../../../src/app/triage/diagnose.ts';
import { adviseArguments } from '../../../src/budget/advice.ts';
import { knobsOf, PLAIN_KNOBS } from '../../../src/budget/engine-knobs.ts';
import { GIB } from '../../../src/model/quantity.ts';
import { setByItems } from '../../../src/report/card/engine-notes.ts';
import { aSnapshot, BOOK, COMPILED_SIGNATURES, judge } from '../../playbooks/shipped.ts';

const SERVE = 'trtllm-serve m --kv_cache_free_gpu_memory_fraction 0.9 --max_seq_len 131072 --max_batch_size 256';
const BUILT =
  '[TensorRT-LLM][INFO] Engine version 1.0.0 found in the config file, assuming engine(s) built by new builder API.';
const OOM =
  'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 100.00 MiB. GPU 0 has a total capacity of 79.25 GiB of which 60.00 MiB is free. Including non-PyTorch memory, this process has 79.18 GiB memory in use. Of the allocated memory 74.90 GiB is allocated by PyTorch, and 12.00 MiB is reserved by PyTorch but unallocated.';
const served = (args: string, version = '1.0.0', ...more: readonly string[]) => ({
  'args.txt': `${args}\n`,
  'previous.log': `${[`[TensorRT-LLM] TensorRT-LLM version: ${version}`, ...more, 'INFO:     Application startup complete.', 'INFO:     10.0.0.7:58280 - "POST /v1/chat/completions HTTP/1.1" 200 OK', OOM].join('\n')}\n`,
});

async function diagnosed(files: Readonly<Record<string, string>>) {
  const { diagnosis, facts } = await diagnoseSource(aSnapshot(files), {
    signatures: COMPILED_SIGNATURES,
    judge,
    book: BOOK,
  });
  const setBy = facts.get('engine.set-by');
  return {
    setBy: setBy?.kind === 'known' ? setBy.value : undefined,
    flags: diagnosis.verdict.remedies.flatMap(({ edits }) => edits.map(({ flag, to }) => `${flag} ${to}`)),
    profile: diagnosis.profile,
    where: setByItems(diagnosis, facts),
    why: whyFixed(facts),
  };
}

const textOf = (spans: ReturnType<typeof setByItems>[number] | undefined) =>
  spans?.map((span) => ('text' in span ? span.text : '')).join('') ?? '';

describe('the limits of TensorRT-LLM', () => {
  it.each([
    ['arguments of trtllm-serve', served(SERVE), 'command-line', ['--kv_cache_free_gpu_memory_fraction 0.87'], 0],
    ['arguments that an older version may not have', served(SERVE, '0.12.0'), 'command-line', [], 0],
    ['a file that overrides them', served(`${SERVE} --extra_llm_api_options /config/a.yaml`), 'file', [], 1],
    ['an engine that was built with them', served(SERVE, '1.0.0', BUILT), 'build', [], 1],
    ['an engine by its backend', served(`${SERVE} --backend tensorrt`), 'build', [], 1],
    ['the model repository', served('tritonserver --model-repository=/models'), 'repository', [], 1],
    ['nothing that is known', served('python3 serve.py'), undefined, [], 0],
  ])('are set by %s', async (_what, files, setBy, flags, told) => {
    const found = await diagnosed(files);

    expect(found.setBy).toBe(setBy);
    expect(found.flags).toEqual(flags);
    expect(found.where).toHaveLength(told);
    // The card, and a plan that is refused, say the same.
    if (told > 0) expect(textOf(found.where[0]).toLowerCase()).toContain((found.why ?? 'no reason').toLowerCase());
    if (setBy === 'command-line' && flags.length > 0) expect(found.profile).toMatchObject({ kind: 'fitted' });
    else expect(found.profile).toBeUndefined();
  });

  it('are no profile where an engine was built with them, and `oom budget` says why', async () => {
    const evidence = (source: ReturnType<typeof aSnapshot>) => readEngineEvidence(source, COMPILED_SIGNATURES, BOOK);

    const outcome = await reckonBudget(aSnapshot(served(SERVE, '1.0.0', BUILT)), { book: BOOK, evidence });

    expect(outcome).toMatchObject({
      budget: { profiles: [], fixed: expect.stringContaining('when this engine was built') },
    });
  });

  it('are computed to fit by what a token takes, as the engine prints it', async () => {
    const printed =
      '[01/16/2026-06:20:15] [TRT-LLM] [I] Peak memory during memory usage profiling (torch + non-torch): 91.46 GiB, available KV cache memory when calculating max tokens: 41.11 GiB, fraction is set 0.9, kv size is 35136. device total memory 139.81 GiB, , tmp kv_mem 0.56 GiB';
    const evidence = (source: ReturnType<typeof aSnapshot>) => readEngineEvidence(source, COMPILED_SIGNATURES, BOOK);

    const outcome = await reckonBudget(aSnapshot(served(SERVE, '1.0.0', printed)), { book: BOOK, evidence });

    expect(outcome).toMatchObject({
      budget: {
        kv: { bytesPerToken: { kind: 'known', value: 35_136 } },
        profiles: ['conservative', 'performance', 'emergency'].map((name) => ({ name, start: { proven: true } })),
      },
    });
  });

  it('are raised by the share of what is free alone: the pool grows with it, and other processes take nothing from it', () => {
    const knobs = knobsOf('tensorrt-llm') ?? PLAIN_KNOBS;
    const figures = { kvNeededBytes: 10.4 * GIB, kvAvailableBytes: 10 * GIB, totalBytes: 80 * GIB };
    const state = { engine: 'tensorrt-llm', version: '1.0.0', knobs, book: BOOK, product: undefined };
    const none = { sequences: undefined, batchedTokens: undefined, wantBytes: undefined, freeBytes: undefined };

    const advice = adviseArguments({
      state: { ...state, figures: { ...figures, freeAtStartBytes: GIB }, settings: () => undefined, utilization: 0.9 },
      utilization: 0.9,
      ...none,
    });

    // 0.9 x 10.4 / 10.
    expect(advice['advice.utilization-raise']?.value).toBe(0.94);
    expect(advice['advice.utilization-fit']).toBeUndefined();
  });
});
