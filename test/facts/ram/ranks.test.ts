import { expect, it } from 'vitest';
import { diagnoseFiles, logged } from '../incident.ts';

const GIB = 1024 ** 3;
const KILLED =
  'slurmstepd: error: Detected 1 oom_kill event in StepId=12.0. Some of the step tasks have been OOM Killed.';
const STARTS = 'INFO 07-10 10:00:01 [api_server.py:1896] vLLM API server version 0.10.1';

const diagnosed = (args: readonly string[], log: readonly string[] = [STARTS, KILLED]) =>
  diagnoseFiles({ 'args.txt': `${args.join('\n')}\n`, ...logged(...log) });

const ECHO = "server_args=ServerArgs(model_path='m', tp_size=8, cpu_offload_gb=10)";

it.each([
  [
    'of one setting in two spellings',
    ['python3 -m sglang.launch_server --model m --tp 8 --cpu-offload-gb 10'],
    [ECHO],
    80,
  ],
  ['of two nodes by a flag', ['vllm serve m --tensor-parallel-size 8 --nnodes 2 --cpu-offload-gb 10'], [STARTS], 40],
  [
    'of data parallel engines, each of which holds the whole model',
    ['vllm serve m --tensor-parallel-size 2 --data-parallel-size 4 --cpu-offload-gb 10'],
    [STARTS],
    80,
  ],
  [
    'of the engines of this node alone',
    ['vllm serve m --data-parallel-size 16 --data-parallel-size-local 4 --cpu-offload-gb 10'],
    [STARTS],
    40,
  ],
  [
    'of one engine for each command',
    ['vllm serve m --data-parallel-size 16 --data-parallel-rank 3 --cpu-offload-gb 10'],
    [STARTS],
    10,
  ],
  [
    'as the workers say, not as the flag allows',
    ['vllm serve m --tensor-parallel-size 2 --cpu-offload-gb 64'],
    [STARTS, '(VllmWorker TP0 pid=100) INFO 07-10 10:00:50 [uva.py:69] Total CPU offloaded parameters: 7.5'],
    15,
  ],
])('what the ranks of a node keep in RAM: %s', async (_, args, log, gib) => {
  expect((await diagnosed(args, log)).facts.get('ram.offload-bytes')).toMatchObject({ value: gib * GIB });
});

it('the memory of a Slurm job is not known where two scripts differ', async () => {
  expect(
    (await diagnosed(['#SBATCH --mem=2G', '#SBATCH --mem=64G', 'vllm serve m'])).facts.get('ram.limit')?.kind,
  ).not.toBe('known');
});
