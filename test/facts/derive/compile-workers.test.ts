import { describe, expect, it } from 'vitest';
import { diagnoseSource } from '../../../src/app/triage/diagnose.ts';
import { aSnapshot, COMPILED_PHRASES, judge } from '../../playbooks/shipped.ts';

const DAY = '2026-09-14';
const GIB = 2 ** 30;

function aPod(reason: string, exitCode: number): string {
  const limits = { memory: '48Gi', 'nvidia.com/gpu': '1' };
  const terminated = { reason, exitCode, startedAt: `${DAY}T09:00:00Z`, finishedAt: `${DAY}T09:05:00Z` };
  const waiting = { reason: 'CrashLoopBackOff' };
  return JSON.stringify({
    kind: 'Pod',
    metadata: { name: 'e-0' },
    spec: { containers: [{ name: 'engine', image: 'vllm/vllm-openai:v0.11.0', resources: { limits } }] },
    status: {
      phase: 'Running',
      containerStatuses: [{ name: 'engine', restartCount: 3, state: { waiting }, lastState: { terminated } }],
    },
  });
}

const error = (text: string) => `(EngineCore_DP0 pid=212) ERROR 09-14 09:04:50 [core.py:708] ${text}\n`;
const STARTS = `INFO 09-14 09:00:02 [api_server.py:1896] vLLM API server version 0.11.0
INFO 09-14 09:00:30 [gpu_model_runner.py:2602] Starting to load model acme/falcon-9b...
INFO 09-14 09:01:13 [gpu_model_runner.py:2653] Model loading took 17.2031 GiB and 40.120 seconds
`;
const POOL = `${STARTS}${error('EngineCore failed to start.')}${error('torch._inductor.exc.InductorError: BrokenProcessPool: A process in the process pool was terminated abruptly while the future was running or pending.')}`;
const PTXAS = `${STARTS}${error('EngineCore failed to start.')}${error("subprocess.CalledProcessError: Command '['/triton/backends/nvidia/bin/ptxas', '-v', '/tmp/t.ptx']' died with <Signals.SIGKILL: 9>.")}`;

const killed = (task: string) =>
  `[Mon Sep 14 09:04:49 2026] Memory cgroup out of memory: Killed process 77 (${task}) total-vm:9kB, anon-rss:5000000kB, file-rss:1kB, shmem-rss:0kB, UID:0\n`;

function readings(share: number): string {
  const at = Date.parse(`${DAY}T09:00:00Z`);
  const points = Array.from({ length: 11 }, (_, i) => [at + i * 30_000, 48 * GIB * share]);
  const series = {
    id: 'container.memory.working-set',
    unit: 'bytes',
    labels: { container: 'engine' },
    query: 'q',
    points,
  };
  return JSON.stringify({ from: at, to: at + 300_000, stepMs: 30_000, unknown: [], series: [series] });
}

const read = async (files: Readonly<Record<string, string>>) =>
  (await diagnoseSource(aSnapshot(files), { phrases: COMPILED_PHRASES, judge })).diagnosis;

describe('a compile worker that is gone without a word', () => {
  it.each([
    ['is a guess where nothing tells who killed it', {}, 'host-startup-helpers-probable', false],
    [
      'is a guess beside readings near the limit',
      { 'series.json': readings(0.99) },
      'host-startup-helpers-probable',
      false,
    ],
    [
      'is most likely no lack of RAM beside readings far from it',
      { 'series.json': readings(0.3) },
      'none-helper-vanished',
      false,
    ],
    [
      'was killed for want of RAM by the status',
      { 'pod.json': aPod('OOMKilled', 1) },
      'host-startup-helpers-killed',
      true,
    ],
    [
      'was killed for want of RAM by the kernel',
      { 'kernel.txt': killed('pt_main_thread') },
      'host-startup-helpers-killed',
      true,
    ],
    ['was a compiler by the kernel', { 'kernel.txt': killed('ptxas') }, 'host-startup-compilers', true],
    ['was a compiler by the signal that its caller saw', { 'previous.log': PTXAS }, 'host-startup-compilers', true],
  ])('%s', async (_name, files, finding, certain) => {
    const { verdict, says } = await read({ 'pod.json': aPod('Error', 1), 'previous.log': POOL, ...files });

    expect(verdict).toMatchObject({ finding, certain, causeCertain: false });
    const claims = /ran out of RAM|was killed for RAM|RAM ran out/.test(says);
    expect(claims && !certain).toBe(false);
  });

  it.each([
    ['a guess', {}, true],
    ['no lack of RAM', { 'series.json': readings(0.3) }, false],
    ['no pool at all', { 'previous.log': STARTS, 'pod.json': aPod('OOMKilled', 137) }, false],
  ])('is offered fewer workers only where they may be the cause: %s', async (_name, files, isOffered) => {
    const { verdict } = await read({ 'pod.json': aPod('Error', 1), 'previous.log': POOL, ...files });

    const offers = verdict.remedies.map(({ says }) => says).join(' ');
    expect(/TORCHINDUCTOR_COMPILE_THREADS|MAX_JOBS/.test(offers)).toBe(isOffered);
  });
});
