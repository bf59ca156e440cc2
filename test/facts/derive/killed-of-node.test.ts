import { describe, expect, it } from 'vitest';
import { diagnoseSource } from '../../../src/app/triage/diagnose.ts';
import { aSnapshot, COMPILED_PHRASES, judge } from '../../playbooks/shipped.ts';

const LOADS =
  '(EngineCore pid=133) INFO 06-03 09:36:48 [gpu_model_runner.py:4879] Starting to load model acme/falcon-40b...\nLoading pt checkpoint shards:  38% Completed | 3/8 [00:21<00:34,  6.92s/it]\n';
const GIB_PAGES = 262_144;
const GIB_KB = 1_048_576;

type Task = { readonly name: string; readonly gib: number };

function kernelOf(name: string, gib: number, tasks: readonly Task[], shmem = 0): string {
  const rows = tasks.map(
    (one, at) =>
      `[812340.1] [  ${4200 + at}]     0 ${4200 + at} ${2 * one.gib * GIB_PAGES} ${one.gib * GIB_PAGES}  131072000        0             999 ${one.name}`,
  );
  return [
    `[812340.001] ${name} invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=999`,
    '[812340.095] [  pid  ]   uid  tgid total_vm      rss pgtables_bytes swapents oom_score_adj name',
    ...rows,
    `[812340.2] oom-kill:constraint=CONSTRAINT_NONE,nodemask=(null),cpuset=/,mems_allowed=0-1,global_oom,task_memcg=/user.slice,task=${name},pid=4200,uid=0`,
    `[812340.21] Out of memory: Killed process 4200 (${name}) total-vm:119487424kB, anon-rss:${gib * GIB_KB}kB, file-rss:57184kB, shmem-rss:${shmem * GIB_KB}kB, UID:0`,
  ].join('\n');
}

async function verdictOf(kernel: string, ofNode?: string) {
  const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'a' }, status: { allocatable: { memory: ofNode } } };
  const files = {
    'previous.log': LOADS,
    'kernel.txt': `${kernel}\n`,
    ...(ofNode === undefined ? {} : { 'node.json': JSON.stringify(node) }),
  };
  return (await diagnoseSource(aSnapshot(files), { phrases: COMPILED_PHRASES, judge })).diagnosis.verdict;
}

const PYTHON = (gib: number): Task => ({ name: 'python3', gib });

describe('a process that the kernel killed on a node that ran dry while it loaded', () => {
  it.each([
    ['one of its name is larger', [PYTHON(33), PYTHON(900), PYTHON(300), { name: 'java', gib: 500 }]],
    ['two of its name are of one size, and it is not', [PYTHON(40), PYTHON(900), PYTHON(900)]],
  ])('did not fill it where %s', async (_, tasks) => {
    const verdict = await verdictOf(kernelOf('python3', tasks[0]?.gib ?? 0, tasks));
    expect(verdict).toMatchObject({ finding: 'host-node-startup', cause: 'host.node-pressure' });
  });

  it('filled it with those of its name and size', async () => {
    const verdict = await verdictOf(kernelOf('python3', 400, [PYTHON(400), PYTHON(390), { name: 'java', gib: 20 }]));
    expect(verdict).toMatchObject({ finding: 'host-node-workers' });
  });

  it('filled it where the table shows little else, what it shares counted', async () => {
    const split = (pid: number, anon: number, shared: number, name: string) =>
      `[1.3] [  ${pid}]     0 ${pid} 31840122 ${(anon + shared) * GIB_PAGES} ${anon * GIB_PAGES} 9 ${shared * GIB_PAGES} 122310656        0             0 ${name}`;
    const [asked = '', head = '', ...killed] = kernelOf('python3', 40, [], 90).split('\n');
    const ofVictim = (shared: number) =>
      [asked, head, split(4200, 40, shared, 'python3'), split(77, 60, 0, 'java'), ...killed].join('\n');
    expect(await verdictOf(ofVictim(90))).toMatchObject({ finding: 'host-node-own-startup' });
    expect(await verdictOf(ofVictim(1))).toMatchObject({ finding: 'host-node-startup' });
  });

  it.each([
    ['64Gi', 'host-node-own-startup'],
    ['128Gi', 'host-node-large-startup'],
    ['2000Gi', 'host-node-startup'],
    [undefined, 'host-node-large-startup'],
  ])('is held against a node of %s where no table is there', async (ofNode, finding) => {
    expect(await verdictOf(kernelOf('python3', 40, []), ofNode)).toMatchObject({ finding });
  });
});
