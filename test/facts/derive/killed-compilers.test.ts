import { describe, expect, it } from 'vitest';
import { diagnoseSource } from '../../../src/app/triage/diagnose.ts';
import { aSnapshot, COMPILED_PHRASES, judge } from '../../playbooks/shipped.ts';

const STEP = '[7/18] /usr/local/cuda/bin/nvcc --generate-dependencies-with-compile gemm_cutlass_sm120.cuda.o.d';
const FAILED = 'FAILED: gemm_cutlass_sm120/gemm_cutlass_sm120_fp16.cuda.o';
const STOPPED = 'ninja: build stopped: subcommand failed.';
const RAISED =
  "(EngineCore pid=2960) ERROR 07-29 22:14:50 [core.py:1231] subprocess.CalledProcessError: Command '['ninja', '-v', '-C', '/root/.cache/flashinfer/0.6.12/120a/cached_ops']' returned non-zero exit status 1.";
const STARTING = '(EngineCore pid=2960) ERROR 07-29 22:14:50 [core.py:1231] EngineCore failed to start.';
const COMPILERS = { finding: 'host-startup-compilers', plane: 'host', cause: 'host.startup.workers' };

async function verdictOf(lines: readonly string[], kernel?: string) {
  const files = {
    'previous.log': `${lines.join('\n')}\n`,
    ...(kernel === undefined ? {} : { 'kernel.txt': `${kernel}\n` }),
  };
  return (await diagnoseSource(aSnapshot(files), { phrases: COMPILED_PHRASES, judge })).diagnosis.verdict;
}

describe('a compiler of kernels that is killed during a start', () => {
  it.each([
    [
      'ninja with the code',
      ['FAILED: [code=137] gemm_cutlass_sm120/gemm_cutlass_sm120_fp16.cuda.o', 'Killed', STOPPED],
    ],
    ['ninja without', [FAILED, 'Killed', STOPPED]],
    ['other jobs after it', [FAILED, 'Killed', ...Array(40).fill(STEP), STOPPED]],
    ['gcc', ['c++: fatal error: Killed signal terminated program cc1plus', STOPPED]],
    ['an older gcc', ['c++: internal compiler error: Killed (program cc1plus)', STOPPED]],
    ['clang', ['clang++: error: unable to execute command: Killed', STOPPED]],
    ['the linker', ['collect2: fatal error: ld terminated with signal 9 [Killed]', STOPPED]],
    ['nvcc', ["nvcc error   : 'cicc' died due to signal 9 (Kill signal)", STOPPED]],
    ['make', ['make[2]: *** [CMakeFiles/kernels.dir/build.make:76: CMakeFiles/kernels.dir/gemm.cu.o] Error 137']],
    [
      'Python',
      [
        "subprocess.CalledProcessError: Command '['/usr/local/cuda/bin/nvcc', '-c', 'kernel.cu']' died with <Signals.SIGKILL: 9>.",
      ],
    ],
  ])('is one of too many: %s', async (_, lines) => {
    expect(await verdictOf([STEP, ...lines, STARTING, RAISED])).toMatchObject(COMPILERS);
  });

  it.each(['cicc', 'cc1plus', 'ptxas', 'clang-17'])('is named by the kernel: %s', async (name) => {
    const kernel = `[812340.21] Memory cgroup out of memory: Killed process 40207 (${name}) total-vm:9194874kB, anon-rss:7072134kB, file-rss:0kB, shmem-rss:0kB, UID:0`;
    expect(await verdictOf([STEP, FAILED, STOPPED, STARTING, RAISED], kernel)).toMatchObject(COMPILERS);
  });

  it('is not what failed where the build broke for another reason', async () => {
    const error = 'gemm.cu(12): error: identifier "foo" is undefined';
    expect(await verdictOf([STEP, FAILED, error, STOPPED, STARTING, RAISED])).not.toMatchObject({ plane: 'host' });
    expect(await verdictOf([STEP, 'FAILED: [code=1] gemm.cuda.o', error, STOPPED, STARTING, RAISED])).not.toMatchObject(
      { plane: 'host' },
    );
  });

  it('is not meant where the engine itself was killed', async () => {
    const killed = await verdictOf(['Loading safetensors checkpoint shards:  40%', 'Killed']);
    expect(killed).toMatchObject({ plane: 'host' });
    expect(killed).not.toMatchObject(COMPILERS);
    expect(await verdictOf([STEP, FAILED, STOPPED, STARTING, RAISED, 'Killed'])).not.toMatchObject(COMPILERS);
  });

  const LOADING = [
    '(EngineCore pid=212) INFO 09-14 10:00:30 [gpu_model_runner.py:2602] Starting to load model acme/falcon-40b...',
    'Loading pt checkpoint shards:  38% Completed | 3/8 [00:21<00:34,  6.92s/it]',
  ];
  const OTHERS =
    '[812340.21] Memory cgroup out of memory: Killed process 999 (cc1plus) total-vm:9194874kB, anon-rss:7072134kB, file-rss:0kB, shmem-rss:0kB, UID:0';

  it('is not what ended where the engine loads below it, or compiled nothing', async () => {
    const job = ['FAILED: [code=137] gemm.cuda.o', 'Killed', STOPPED, 'Killed'];
    const retried = await verdictOf([STEP, ...job.slice(0, 3), ...LOADING, 'Killed']);
    expect(retried).toMatchObject({ plane: 'host', phase: 'startup', cause: 'host.startup.weight-staging' });
    expect(await verdictOf(LOADING, OTHERS)).not.toMatchObject(COMPILERS);
  });

  it('is no other command that a shell names', async () => {
    const curl = 'sh: line 1: 400 Killed                  curl -s http://metrics';
    expect(await verdictOf([curl, STOPPED, STARTING])).not.toMatchObject(COMPILERS);
    const nvcc = 'sh: line 1: 400 Killed                  /usr/local/cuda/bin/nvcc -c x.cu';
    expect(await verdictOf([nvcc, STOPPED, STARTING])).toMatchObject(COMPILERS);
  });
});

describe('a worker of the compiler that vanished', () => {
  const SUBPROCESS =
    '(EngineCore_DP0 pid=212) ERROR 09-14 09:01:40 [core.py:708] torch._inductor.exc.InductorError: SubprocException: An exception occurred in a subprocess:';
  const started = '(EngineCore_DP0 pid=212) ERROR 09-14 09:01:40 [core.py:708] EngineCore failed to start.';

  it('is no error of its own where the pool alone tells of it', async () => {
    const pool =
      'concurrent.futures.process.BrokenProcessPool: A process in the process pool was terminated abruptly while the future was running or pending.';

    expect(await verdictOf([started, SUBPROCESS, pool])).toMatchObject({
      plane: 'host',
      phase: 'startup',
      certain: false,
    });
  });

  it('raised what stands below the notice', async () => {
    const own = 'RuntimeError: Internal Triton PTX codegen error';

    expect(await verdictOf([started, SUBPROCESS, own])).toMatchObject({ plane: 'none' });
  });
});
