import { describe, expect, it } from 'vitest';
import { diagnoseFiles, type Files, known, valueOfFact } from '../incident.ts';

const diagnosed = (files: Files, engine = 'vllm', uptime?: string) =>
  diagnoseFiles({ ...files, ...known({ engine, uptime }) });

it.each([
  ['#SBATCH --mem=0', undefined],
  ['#SBATCH --mem-per-cpu=4G', undefined],
  ['# SBATCH --mem=240G', undefined],
  ['python serve.py --mem=240G', undefined],
])('the memory of a Slurm job is its limit: %s', async (line, bytes) => {
  const { facts } = await diagnosed({
    'args.txt': `${line}\npython -m vllm.entrypoints.openai.api_server --model m\n`,
  });
  expect(valueOfFact(facts, 'ram.limit')).toBe(bytes);
});

it.each([
  ['share a sequence', '--num-gpus 4 --sp-degree 4', 4],
  ['share a sequence and layers', '--tp-size 2 --ulysses-degree 4 --sp-degree 4', 8],
])('ranks that %s are all counted', async (_, args, ranks) => {
  expect(
    (await diagnosed({ 'args.txt': `sglang serve --model-path m ${args}\n` }, 'sglang')).facts.get('engine.ranks'),
  ).toMatchObject({ value: ranks });
});

describe('what is kept in RAM', () => {
  const KILLED = {
    'describe.txt': '    Last State:     Terminated\n      Reason:       OOMKilled\n      Exit Code:    137\n',
  };
  const SLEPT =
    '(LLMRayActor pid=9) INFO 05-02 03:12:40 [gpu_worker.py:81] Sleep mode freed 29.83 GiB memory, 9.14 GiB memory is still in use.\n';

  it.each([
    ['by a sleep', '', true],
    ['by a sleep that drops the weights', 'llm.sleep(level=2)', false],
  ])('%s', async (_, args, kept) => {
    const files = { ...KILLED, 'args.txt': `${args}\n`, 'previous.log': SLEPT };
    expect((await diagnosed(files, 'vllm', 'hours')).diagnosis.verdict.cause === 'host.offload').toBe(kept);
  });

  it('by a cache of prompts that lists them', async () => {
    const log = 'srv        update:    - prompt 0x7f1b4c3ad010:    1163 tokens, checkpoints:  0,     3.126 MiB\n';
    const { diagnosis } = await diagnosed({ ...KILLED, 'previous.log': log }, 'ollama', 'days');
    const without = await diagnosed({ ...KILLED, 'previous.log': 'srv        update:\n' }, 'ollama', 'days');

    expect(diagnosis.verdict).toMatchObject({ plane: 'host', cause: 'host.offload', causeCertain: false });
    expect(without.diagnosis.verdict.cause).not.toBe('host.offload');
  });
});

it('a pool that MII resets is a queue that went too far, and no failure', async () => {
  const line =
    'Deadlock detected. Resetting KV cache and recomputing requests. Consider limiting number of concurrent requests or decreasing max lengths of prompts/generations.\n';

  expect((await diagnosed({ 'previous.log': line }, 'deepspeed-mii', 'hours')).diagnosis.verdict).toMatchObject({
    plane: 'none',
    cause: 'none.preemption-warning',
  });
});

it('a start that ends without a device', async () => {
  const line = 'INFO 10-21 16:50:33 [__init__.py:220] No platform detected, vLLM is running on UnspecifiedPlatform\n';
  const killed = `${line}Killed\n`;

  expect((await diagnosed({ 'previous.log': line })).diagnosis.verdict).toMatchObject({
    cause: 'none.driver',
    certain: false,
  });
  expect((await diagnosed({ 'previous.log': killed })).diagnosis.verdict.plane).toBe('host');
});
