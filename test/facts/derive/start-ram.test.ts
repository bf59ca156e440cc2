import { describe, expect, it } from 'vitest';
import { diagnoseSource } from '../../../src/app/triage/diagnose.ts';
import { aSnapshot, COMPILED_PHRASES, judge } from '../../playbooks/shipped.ts';

const GIB = 1024 ** 3;
const MODEL = 'meta-llama/Llama-3.1-70B-Instruct';
const SHARDS = (kind: string) => `Loading ${kind} checkpoint shards:  25% Completed | 8/30 [00:02<00:08,  2.9s/it]`;
const LOADS = '(EngineCore_DP0 pid=2) INFO 02-01 09:00:30 [gpu_model_runner.py:2602] Starting to load model x...';
const DESCRIBE = (limit: string) =>
  [
    '    Last State:     Terminated',
    '      Reason:       OOMKilled',
    '      Exit Code:    137',
    '    Limits:',
    `      memory:          ${limit}`,
  ].join('\n');

async function diagnosed(args: string, log = SHARDS('safetensors'), limit = '200Gi', model = MODEL) {
  const banner = 'INFO 02-01 09:00:11 [api_server.py:1896] vLLM API server version 0.11.0';
  const snapshot = aSnapshot({
    'args.txt': `vllm serve ${model} ${args}\n`,
    'previous.log': `${banner}\n${log}\n`,
    'describe.txt': DESCRIBE(limit),
  });
  return diagnoseSource(snapshot, { phrases: COMPILED_PHRASES, judge });
}

describe('what the start takes in host memory', () => {
  const WEIGHTS = 70.6e9 * 2;

  it.each([
    ['pickled files by the arguments', '--load-format pt', SHARDS('pt')],
    ['pickled files by the log', '', SHARDS('pt')],
    ['files read eagerly', '--safetensors-load-strategy eager', SHARDS('safetensors')],
    ['files read eagerly, by the log', '', SHARDS('safetensors').replaceAll('shards:', 'shards (eager):')],
    ['weights quantised on load', '--quantization bitsandbytes', SHARDS('safetensors')],
  ])('has one file in each rank: %s', async (_, args, log) => {
    const { facts } = await diagnosed(`--tensor-parallel-size 8 ${args}`, log);

    const staged = (8 * WEIGHTS) / 30;
    expect(facts.get('ram.staging-bytes')).toMatchObject({ value: expect.closeTo(staged, -9) });
    expect(facts.get('ram.staging-most')).toMatchObject({ value: expect.closeTo(8 * WEIGHTS, -9) });
    expect(facts.get('ram.start-bytes')).toMatchObject({ value: expect.closeTo(staged + 8 * GIB, -9) });
  });

  it('has the whole model once for each data parallel engine, and a core for each', async () => {
    const { facts } = await diagnosed('--data-parallel-size 2', SHARDS('safetensors'), '280Gi');

    expect(facts.get('ram.load-most')).toMatchObject({ value: expect.closeTo(2 * WEIGHTS, -9) });
    expect(facts.get('ram.start-most')).toMatchObject({ value: expect.closeTo(2 * WEIGHTS + 15 * GIB, -9) });
    expect(facts.get('ram.start-fits')).toMatchObject({ value: true });
  });

  it.each([
    ['quantised on load', 'acme/falcon-70b', 'bitsandbytes', 140e9],
    ['made by AWQ', 'acme/falcon-70b', 'awq', 70e9 * 0.56],
    ['of 8 bit by its name', 'acme/falcon-70b-FP8', 'fp8', 70e9 * 1.02],
  ])('counts files as they lie on disk: %s', async (_, model, quantization, bytes) => {
    const { facts } = await diagnosed(`--load-format pt --quantization ${quantization}`, SHARDS('pt'), '200Gi', model);

    expect(facts.get('ram.staging-most')).toMatchObject({ value: expect.closeTo(bytes, -6) });
  });

  it('has none of the weights where files are mapped, and a gibibyte for each rank', async () => {
    const { facts } = await diagnosed('--tensor-parallel-size 8');

    expect(facts.get('ram.staging-bytes')).toMatchObject({ kind: 'unknown' });
    expect(facts.get('ram.start-bytes')).toMatchObject({ value: 8 * GIB });
    expect(facts.get('ram.start-share')).toMatchObject({ value: 0.04 });
  });

  it('is told beside the verdict', async () => {
    const { diagnosis } = await diagnosed('--tensor-parallel-size 8 --load-format pt', SHARDS('pt'));

    expect(diagnosis.verdict).toMatchObject({ plane: 'host', cause: 'host.startup.weight-staging' });
    expect(diagnosis.says).toContain('one at a time in each rank, together 35.1 GiB');
  });

  it('proves an offload that does not fit, and leaves one open that would', async () => {
    const [over, under] = await Promise.all([
      diagnosed('--tensor-parallel-size 4 --cpu-offload-gb 20', undefined, '64Gi'),
      diagnosed('--kv-offloading-size 8', undefined, '16Gi'),
    ]);

    expect(over.facts.get('ram.start-bytes')).toMatchObject({ value: 84 * GIB });
    expect(over.diagnosis.verdict).toMatchObject({ cause: 'host.offload', causeCertain: true });
    expect(under.facts.get('ram.start-bytes')).toMatchObject({ value: 9 * GIB });
    expect(under.diagnosis.verdict).toMatchObject({ cause: 'host.offload', certain: true, causeCertain: false });
  });

  it('does not blame a small offload where files read whole do not fit', async () => {
    const { facts, diagnosis } = await diagnosed('--load-format pt --kv-offloading-size 1', SHARDS('pt'), '6Gi');

    expect(facts.get('ram.start-share')).toMatchObject({
      value: expect.closeTo((WEIGHTS / 30 + 2 * GIB) / (6 * GIB), 1),
    });
    expect(facts.get('ram.kept-share')).toMatchObject({ value: 2 / 6 });
    expect(diagnosis.verdict).toMatchObject({ cause: 'host.startup.weight-staging' });
  });
});

describe('a load that was killed', () => {
  const EAGER = SHARDS('safetensors').replaceAll('shards:', 'shards (eager):');

  it.each([
    ['maps its files, in a limit that the processes alone may fill', '', undefined, '4Gi', 'host.startup.limit', true],
    ['maps its files, in a larger limit', '', undefined, '100Gi', 'host.startup.limit', false],
    [
      'maps them in each of eight ranks',
      '--tensor-parallel-size 8',
      undefined,
      '100Gi',
      'host.startup.weight-staging',
      false,
    ],
    ['does not show how it reads them', '', LOADS, '100Gi', 'host.startup.weight-staging', false],
    ['reads them whole', '', SHARDS('pt'), '100Gi', 'host.startup.weight-staging', true],
    ['reads them whole, though they are safetensors', '', EAGER, '100Gi', 'host.startup.weight-staging', true],
    [
      'quantises them on the way',
      '--quantization bitsandbytes',
      undefined,
      '100Gi',
      'host.startup.weight-staging',
      true,
    ],
  ])('%s', async (_what, args, log, limit, cause, isSure) => {
    const { diagnosis } = await diagnosed(args, log, limit);

    expect(diagnosis.verdict).toMatchObject({ phase: 'startup', cause, certain: true, causeCertain: isSure });
    const advice = diagnosis.verdict.remedies.map(({ says }) => says).join('\n');
    // What is read is shown to be safetensors in the others, mapped, read whole or quantised on the way.
    const mayBePickled = log === LOADS || log === SHARDS('pt');
    expect(advice.includes('Load safetensors')).toBe(mayBePickled);
  });
});
