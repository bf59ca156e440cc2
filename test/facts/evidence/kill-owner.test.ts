import { describe, expect, it } from 'vitest';
import { diagnoseFiles, type Files, known, logged, valueOfFact } from '../incident.ts';
import { ended, podFile, running } from '../pod.ts';

const diagnosed = (files: Files) => diagnoseFiles({ ...known({ engine: 'vllm' }), ...files });

const UID = '11111111-2222-3333-4444-555555555555';
const OTHER_UID = '99999999-2222-3333-4444-555555555555';
const ID = 'ab'.repeat(32);
const GROUP = `/kubepods.slice/kubepods-pod${UID.replaceAll('-', '_')}.slice/cri-containerd-${'cd'.repeat(32)}.scope`;

function report(task: string, { at = '412345.1', group = '/kubepods/podx/c1', scope = 'MEMCG', kib = 67108864 } = {}) {
  const of = scope === 'NONE' ? 'global_oom' : `oom_memcg=${group}`;
  const said = scope === 'NONE' ? 'Out of memory' : 'Memory cgroup out of memory';
  return [
    `[${at}] ${task} invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=992`,
    ...(scope === 'NONE' ? [] : [`[${at}] memory: usage ${kib}kB, limit ${kib}kB, failcnt 15691`]),
    `[${at}] oom-kill:constraint=CONSTRAINT_${scope},nodemask=(null),cpuset=x,mems_allowed=0,${of},task_memcg=${group},task=${task},pid=77,uid=0`,
    `[${at}] ${said}: Killed process 77 (${task}) total-vm:9kB, anon-rss:${kib}kB, file-rss:1kB, shmem-rss:0kB, UID:0`,
  ].join('\n');
}

const NEXT = 'ef'.repeat(32);

function pod(reason = 'Error', exitCode = 137) {
  const { terminated } = ended(reason, exitCode, '2026-09-14T10:00:00Z', '2026-09-14T14:05:15Z');
  return podFile({
    metadata: { uid: UID },
    container: { image: 'acme/serve:1', command: ['/opt/bin/quail-inference-server'] },
    status: {
      containerID: `containerd://${NEXT}`,
      state: running('2026-09-14T14:05:20Z'),
      lastState: { terminated: { ...terminated, containerID: `containerd://${ID}` } },
    },
  });
}

const CONFIG = 'ValueError: User-specified max_model_len (65536) is greater than the derived max_model_len (40960).\n';
const GPU =
  'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 3.71 GiB. GPU 0 has a total capacity of 79.14 GiB of which 1.20 GiB is free.\n';

it.each([
  ['by a name of the engine', report('VLLM::EngineCor')],
  ['by the interpreter', report('python3')],
  ['by the compiler that it starts for its kernels', report('cicc')],
  ['by the command of the container, cut to fifteen signs', report('quail-inference')],
  ['by its group', report('node', { group: GROUP })],
  [
    'by its id, whatever the clock says',
    report('helper', { group: `/kubepods/podz/${ID}`, at: 'Fri Sep 11 01:10:58 2026' }),
  ],
  ['within its life', report('python3', { at: 'Mon Sep 14 14:05:14 2026' })],
])('a kill in the kernel log is the container’s: %s', async (_, kernel) => {
  const { facts } = await diagnosed({ 'kernel.txt': kernel, ...pod() });

  expect(facts.get('kernel.oom-kill')).toMatchObject({ value: 'container' });
  expect(facts.get('evidence.plane')).toMatchObject({ value: 'host' });
});

const kill = `node1 systemd-oomd[812]: Killed ${GROUP.replace(/\/cri.*/, '')} due to memory pressure for /kubepods.slice being 78.32% > 60.00% for > 30s with reclaim activity\n`;

it.each([
  ['of a pod of which nothing is told', {}, 'host'],
  ['of the pod that died', pod('Error', 137), 'host'],
  ['of another pod', podFile({ metadata: { uid: OTHER_UID } }), undefined],
])('a kill by systemd-oomd: %s', async (_, files, plane) => {
  const { facts } = await diagnosed({ 'kernel.txt': kill, ...files });

  expect(valueOfFact(facts, 'evidence.plane')).toBe(plane);
});

describe('a kill in the kernel log proves nothing of the container', () => {
  it.each([
    ['of an agent of the node', report('fluent-bit', { kib: 131072 })],
    ['of an agent, where only the one who asked is left', 'fluent-bit invoked oom-killer: gfp_mask=0xcc0'],
    ['of an agent, with the account of its group', `${report('fluent-bit').split('\n').slice(0, 2).join('\n')}`],
    ['in the group of another pod', report('python3', { group: GROUP.replace('11111111', '99999999') })],
    ['of another program on a dry node', report('java', { scope: 'NONE' })],
    ['of another run, a day before', report('VLLM::EngineCor', { at: 'Sun Sep 13 08:10:58 2026' })],
    ['of a service of the node', "systemd[1]: birch.service: Failed with result 'oom-kill'."],
  ])('%s', async (_, kernel) => {
    const { facts, diagnosis } = await diagnosed({
      'kernel.txt': `${kernel}\n`,
      ...pod('Error', 1),
      'previous.log': CONFIG,
    });

    expect(facts.get('kernel.oom-kill')).toMatchObject({ kind: 'unknown' });
    expect(facts.get('ram.limit')?.kind).toBe('unknown');
    expect(facts.get('log.hint-plane')).not.toMatchObject({ value: 'host' });
    expect(diagnosis.verdict).toMatchObject({ plane: 'none', cause: 'none.config' });
  });

  it('which outlived it by hours', async () => {
    const { facts, diagnosis } = await diagnosed({
      'kernel.txt': report('VLLM::EngineCor', { at: 'Mon Sep 14 10:17:58 2026' }),
      ...pod(),
    });

    expect(facts.get('evidence.plane')?.kind).toBe('unknown');
    expect(diagnosis.verdict).toMatchObject({ plane: 'host', certain: false });
  });

  it('and none beside a failure of the device', async () => {
    const { facts } = await diagnosed({ 'kernel.txt': report('fluent-bit'), 'previous.log': GPU });

    expect(facts.get('sequence.order')).toMatchObject({ value: 'one-plane' });
    expect(facts.get('evidence.plane')).toMatchObject({ value: 'gpu' });
  });

  it('and neither does a kill of another pod that ran the same program', async () => {
    const group = GROUP.replace(UID.replaceAll('-', '_'), OTHER_UID.replaceAll('-', '_'));
    expect(
      (await diagnosed({ 'kernel.txt': report('VLLM::EngineCor', { group }), ...pod() })).facts.get('evidence.plane')
        ?.kind,
    ).toBe('unknown');
  });
});

it.each([
  ['a name that says nothing', report('main')],
  ['a helper in the same pod', report('fluent-bit', { group: GROUP })],
  ['hours off the end, to the minute, as a zone is', report('python3', { at: 'Mon Sep 14 07:05:14 2026' })],
  ['some minutes after the end', report('python3', { at: 'Mon Sep 14 14:10:14 2026' })],
  ['of the run that followed, at no known time', report('VLLM::EngineCor', { group: `/kubepods/podz/${NEXT}` })],
])('a kill of which it cannot be told whose it was is a hint and never certain: %s', async (_, kernel) => {
  const { facts, diagnosis } = await diagnosed({ 'kernel.txt': kernel, ...pod() });

  expect(facts.get('evidence.plane')?.kind).toBe('unknown');
  expect(facts.get('log.hint-plane')).toMatchObject({ value: 'host' });
  expect(diagnosis.verdict).toMatchObject({ plane: 'host', certain: false });
});

const own = report('VLLM::EngineCor', { at: 'Mon Sep 14 14:05:14 2026' });
const java = report('java', { at: 'Mon Sep 14 14:05:40 2026', scope: 'NONE' });

it.each([
  ['first', `${own}\n${java}\n`],
  ['last', `${java}\n${own}\n`],
])('of several kills that of the container says whose limit it was where it stands %s', async (_, kernel) => {
  const { facts } = await diagnosed({ 'kernel.txt': kernel, ...pod('OOMKilled') });

  expect(facts.get('kernel.oom-kill')).toMatchObject({ value: 'container' });
  expect(facts.get('ram.limit')).toMatchObject({ value: 64 * 1024 ** 3 });
});

it.each([
  'kill_process_tree: 3 process(es) still alive after 5.00s SIGKILL; continuing to wait up to 20.00s total. pids=[211]',
  'ERROR 11-20 10:00:00 [node.py:1] Process of type raylet (pid 40) did not exit within 10s of being killed.',
])('a program that waits for one that it ended itself tells of no lack of RAM: %s', async (line) => {
  expect((await diagnosed(logged(line))).diagnosis.verdict.plane).not.toBe('host');
});
