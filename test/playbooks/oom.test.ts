import { describe, expect, it } from 'vitest';
import { diagnoseSource } from '../../src/app/diagnose.ts';
import { runCases } from '../../src/playbook/run-cases.ts';
import { aSnapshot, CASES, COMPILED, COMPILED_PHRASES, judge, PHRASES, readIncident } from './shipped.ts';

describe('the shipped playbook', () => {
  it('is sound, without a warning', () => {
    expect(COMPILED).toMatchObject({ kind: 'sound', warnings: [] });
    expect(CASES.flatMap(({ problems }) => problems)).toEqual([]);
  });

  it('does in every case what the case expects, takes every branch in every kind that it can have, and reaches every finding', async () => {
    if (COMPILED.kind === 'bad') throw new Error('not sound');

    const { results, coverage } = await runCases({
      playbook: COMPILED.playbook,
      cases: CASES.flatMap(({ cases }) => cases),
      readIncident,
    });

    expect(results.filter(({ differences }) => differences.length > 0)).toEqual([]);
    expect(results.length).toBeGreaterThan(200);
    expect(coverage.untaken()).toEqual([]);
    expect(coverage.unreached()).toEqual([]);
    expect(coverage.gaps()).toEqual([]);
  });

  it('gives advice in one direction only: a start-up refusal is never answered by lowering the fraction', () => {
    if (COMPILED.kind === 'bad') throw new Error('not sound');
    const refusals = COMPILED.playbook.findings.filter(({ id }) => id.startsWith('gpu-startup-kv'));

    const wrong = refusals.flatMap(({ id, offers }) =>
      offers
        .filter(({ direction, parameters }) => direction === 'lower' && JSON.stringify(parameters).includes('utiliz'))
        .map(() => id),
    );

    expect(refusals).toHaveLength(5);
    expect(wrong).toEqual([]);
  });

  it('gives no advice where the evidence does not decide the plane', () => {
    if (COMPILED.kind === 'bad') throw new Error('not sound');
    const unknown = COMPILED.playbook.findings.filter(({ plane }) => plane === 'unknown');

    expect(unknown.length).toBeGreaterThan(3);
    expect(unknown.flatMap(({ offers }) => offers)).toEqual([]);
    expect(unknown.filter(({ next }) => next.length !== 1)).toEqual([]);
  });
});

// Lines that decide alone, each in a snapshot of its own. Left out: what needs a second fact to be believed.
const ALONE = PHRASES.filter(
  ({ id, weight }) =>
    (weight === 'proof' || weight === 'strong' || weight === 'rules-out') &&
    !/^(?:host\.(?:child-sigkill|signal-killed|dataloader-killed|bad-alloc)|tgi\.shard\.signal|systemd\.oomd)$/.test(
      id,
    ),
);

describe('one deciding line alone', () => {
  it.each(ALONE.map((phrase) => [phrase.id, phrase] as const))('%s leads to its plane', async (_id, phrase) => {
    const file =
      phrase.where === 'kernel' ? 'kernel.txt' : phrase.where.startsWith('k8s') ? 'describe.txt' : 'previous.log';

    const { diagnosis } = await diagnoseSource(aSnapshot({ [file]: `${phrase.must[0]}\n` }), {
      phrases: COMPILED_PHRASES,
      judge,
    });

    expect(diagnosis.verdict.plane).toBe(phrase.plane);
  });
});

describe('an error that a finding quotes', () => {
  it('stands in quotes and without its own full stop', async () => {
    const { diagnosis } = await diagnoseSource(
      aSnapshot({ 'previous.log': 'RuntimeError: [SYMM] NVSHMEM init failed.\n' }),
      { phrases: COMPILED_PHRASES, judge },
    );

    expect(diagnosis.says).toMatch(/: “RuntimeError: \[SYMM\] NVSHMEM init failed”\.$/);
  });
});

describe('what a finding says where a number is not known', () => {
  it('leaves the number out, and the sentence with it', async () => {
    const log = [
      '(VllmWorker rank=7 pid=240)   File "/usr/local/lib/python3.12/dist-packages/vllm/distributed/parallel_state.py", line 1085, in destroy_model_parallel',
      '(VllmWorker rank=7 pid=240)     _TP.destroy()',
      '(VllmWorker rank=7 pid=240) ncclUnhandledCudaError: Call to CUDA function failed.',
      '(VllmWorker rank=7 pid=240) Last error:',
      "(VllmWorker rank=7 pid=240) Cuda failure 'out of memory'",
      'ERROR 05-21 09:27:46 [multiproc_executor.py:123] Worker proc VllmWorker-6 died unexpectedly, shutting down executor.',
    ].join('\n');

    const { diagnosis } = await diagnoseSource(aSnapshot({ 'previous.log': `${log}\n` }), {
      phrases: COMPILED_PHRASES,
      judge,
    });

    expect(diagnosis.verdict).toMatchObject({ plane: 'gpu' });
    expect(diagnosis.says).toBe('GPU memory ran out, and what there is looks like a start.');
  });
});
