import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readKernel } from '../../../src/read/kernel/kernel.ts';

const SIZES =
  'total-vm:38974820kB, anon-rss:98544kB, file-rss:319140kB, shmem-rss:6144kB, UID:0 pgtables:1kB oom_score_adj:999';
const KILL = `Killed process 77 (python) ${SIZES}`;
const MEMCG =
  'oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=abc,mems_allowed=0-3,oom_memcg=/kubepods/podA,task_memcg=/kubepods/podA/c1,task=python,pid=77,uid=0';
const ofGroup = (path: string) => MEMCG.replace('oom_memcg=/kubepods/podA', `oom_memcg=${path}`);
const OWN = ofGroup('/kubepods/podA/c1');
const NONE =
  'oom-kill:constraint=CONSTRAINT_NONE,nodemask=(null),cpuset=user.slice,mems_allowed=0,global_oom,task_memcg=/user.slice,task=python,pid=77,uid=1000';
const BY_POLICY = NONE.replace('CONSTRAINT_NONE', 'CONSTRAINT_MEMORY_POLICY');

describe('whose limit it was', () => {
  it.each([
    ['cgroup, both lines', `[1.0] ${OWN}\n[1.1] Memory cgroup out of memory: ${KILL}`, 'container'],
    ['cgroup, the constraint alone', OWN, 'container'],
    ['the group of the pod around it', MEMCG, 'pod'],
    ['the same as systemd names it', ofGroup('/kubepods.slice/kubepods-burstable-pod6d0c1f1e_0000.slice'), 'pod'],
    ['the group of all pods', ofGroup('/kubepods.slice'), 'node'],
    ['that of a class', ofGroup('/kubepods/burstable'), 'node'],
    ['another group around it', ofGroup('/batch.slice'), 'container'],
    ['cgroup, the kill alone', `Memory cgroup out of memory: ${KILL}`, 'container'],
    ['node, both lines', `${NONE}\nOut of memory: ${KILL}`, 'node'],
    ['node, the kill alone', `Out of memory: ${KILL}`, 'node'],
    ['node, the kill without its pid', `Out of memory: Killed process (python) ${SIZES}`, 'node'],
    ['a cpuset', NONE.replace('CONSTRAINT_NONE', 'CONSTRAINT_CPUSET'), 'numa-nodes'],
    ['a memory policy, whatever the kill says', `${BY_POLICY}\nOut of memory: ${KILL}`, 'numa-nodes'],
    ['not stated', `Nov 30 10:17:44 node kernel: Killed process 77 (node), UID 1000, ${SIZES}`, 'unstated'],
    ['not stated, with the owner before the name', `Killed process 77, UID 1000, (node) ${SIZES}`, 'unstated'],
    ['a node that panics', 'Kernel panic - not syncing: Out of memory: system-wide panic_on_oom is enabled', 'node'],
    ['a node with nobody left to kill', 'Out of memory and no killable processes...', 'node'],
    ['the constraint says more than the bare kill', `${OWN}\n${KILL}`, 'container'],
    ['an old kernel', `Task in /kubepods/podA killed as a result of limit of /kubepods/podA\n${KILL}`, 'container'],
    ['the reaper alone', 'oom_reaper: reaped process 77 (python), now anon-rss:0kB', 'unstated'],
    ['the caller alone', 'python invoked oom-killer: gfp_mask=0x100, order=0, oom_score_adj=999', 'unstated'],
    ['no kill', '[1.0] eth0: link becomes ready', 'none'],
    ['nothing', '', 'none'],
  ])('%s', (_, text, kind) => {
    expect(readKernel(text).kind).toBe(kind);
  });

  it('is that of the last kill', () => {
    expect(readKernel(`${NONE}\n${OWN.replace('pid=77', 'pid=78')}`)).toMatchObject({
      kind: 'container',
      victim: { pid: 78 },
      kills: [{ scope: 'node' }, { scope: 'container' }],
    });
  });

  it('is not taken from the constraint of another process', () => {
    const read = readKernel(`${OWN}\nOut of memory: Killed process 99 (java) ${SIZES}`);

    expect(read.kills.map((kill) => [kill.pid, kill.scope])).toEqual([
      [99, 'node'],
      [77, 'container'],
    ]);
  });
});

describe('the victim', () => {
  it('has its sizes in bytes, both groups and both lines', () => {
    const { victim } = readKernel(`[1.0] ${MEMCG}\r\n[1.1] Memory cgroup out of memory: ${KILL}`);

    expect(victim).toMatchObject({
      pid: 77,
      name: 'python',
      oomMemcg: '/kubepods/podA',
      taskMemcg: '/kubepods/podA/c1',
      anonRss: 98544 * 1024,
      fileRss: 319140 * 1024,
      shmemRss: 6144 * 1024,
      from: [{ line: 1, text: `[1.0] ${MEMCG}` }, { line: 2 }],
    });
  });

  it('has a time where dmesg -T gives one', () => {
    const read = readKernel(`[Sat Nov 21 03:50:00 2026] ${MEMCG}`);

    expect(read.victim?.at).toBe(Date.parse('2026-11-21T03:50:00Z'));
  });

  it('is one although old kernels announce it first', () => {
    const text = `Out of memory: Kill process 77 (python) score 900 or sacrifice child\n${KILL}`;

    expect(readKernel(text)).toMatchObject({ kind: 'node', kills: [{ pid: 77, anonRss: 98544 * 1024 }] });
  });
});

describe('the account of the kernel', () => {
  const STATS = 'Memory cgroup stats for /kubepods/podA:';
  const V2 =
    'memory: usage 131072kB, limit 131072kB, failcnt 9\nanon 110723072\nfile 4108288\nshmem 4190208\nfile_mapped 7';
  const LINES =
    `[9.1] ${STATS}\n[9.1] cache 0\n[9.1] rss 4096\n[9.1] rss_huge 8192\n[9.1] shmem 0\n` +
    '[9.1] total_cache 306114560\n[9.1] total_rss 8388608\n[9.1] total_rss_huge 0\n[9.1] total_shmem 306114560';

  it.each([
    ['of v2', V2, { usage: 134217728, limit: 134217728, anon: 110723072, file: 4108288, shmem: 4190208 }],
    [
      'of v1',
      `${STATS} cache:100KB rss:2048KB rss_huge:0KB shmem:50KB mapped_file:1KB`,
      { anon: 2048 * 1024, file: 102400, shmem: 51200 },
    ],
    ['of v1, a line each, with the groups below', LINES, { anon: 8388608, file: 306114560, shmem: 306114560 }],
    [
      'of v2, pasted into one line',
      `[1.5] ${STATS} anon 3221225472 file 1048576 shmem 161061273600`,
      { anon: 3221225472, file: 1048576, shmem: 161061273600 },
    ],
  ])('gives the kinds of memory of a group %s', (_, text, bytes) => {
    const read = readKernel(text);

    const { usage, limit, anon, file, shmem } = read;
    const values = Object.entries({ usage, limit, anon, file, shmem }).map(([name, found]) => [name, found?.value]);
    expect(Object.fromEntries(values)).toEqual({ usage: undefined, limit: undefined, ...bytes });
  });

  it('falls back on the kinds of memory of the largest process that was killed', () => {
    const small = 'Killed process 3 (sh) total-vm:9kB, anon-rss:1kB, file-rss:2kB, shmem-rss:3kB';
    const text = `[1.0] ${MEMCG}\n[1.1] Memory cgroup out of memory: ${KILL}\n${small}`;

    expect(readKernel(text)).toMatchObject({
      anon: { value: 98544 * 1024, from: { line: 2 } },
      shmem: { value: 6144 * 1024, from: { line: 2 } },
    });
    expect(readKernel(`anon 5\n${KILL}`).anon?.value).toBe(5);
    expect(readKernel('Killed process 77 (python)').anon).toBeUndefined();
  });

  const USAGE = 'memory: usage 131072kB, limit 131072kB, failcnt 9';
  const ofContainer = MEMCG.replace('task_memcg=/kubepods/podA/c1', 'task_memcg=/kubepods/podA');
  it.each([
    ['a container', `${USAGE}\n${ofContainer}`, 134217728],
    ['no kill line beside it', USAGE, 134217728],
    ['a pod around the container', `${USAGE}\n${MEMCG}`, undefined],
    ['none at all', `memory: usage 5kB, limit 9007199254740988kB, failcnt 0\n${ofContainer}`, undefined],
    ['a group, and later the node ran out', `${USAGE}\n${NONE}`, undefined],
  ])('gives the limit of the container: %s', (_, text, limit) => {
    expect(readKernel(text).limit?.value).toBe(limit);
  });

  it('says by its usage that it was the limit of a group where the kill does not', () => {
    expect(readKernel(`${USAGE}\n${KILL}`).kind).toBe('container');
  });

  it('does not take swap for memory', () => {
    expect(readKernel('memory+swap: usage 5kB, limit 9007199254740988kB, failcnt 0').usage).toBeUndefined();
  });

  it.each([
    ['old', '[  59249]     0 59249  9743705   105957  1683456        0           999 tritonserver', 105957],
    [
      'new',
      '[  59249]     0 59249  9743705   105957   100000     5000      957  1683456        0           999 tritonserver',
      100000,
    ],
  ])('gives the task table and what is their own of it, %s columns', (_, row, own) => {
    const text = `[  pid  ]   uid  tgid total_vm      rss pgtables_bytes swapents oom_score_adj name\n${row}\n[   7857] 65535  7857      241        1    28672        0          -998 pause`;

    const read = readKernel(text);

    expect(read.tasks.map((task) => task.name)).toEqual(['tritonserver', 'pause']);
    expect(read.tasks[0]).toMatchObject({ pid: 59249, rss: 105957 * 4096, own: own * 4096 });
  });

  it('keeps the last of two task tables', () => {
    const table = (name: string) =>
      `[  pid  ]   uid  tgid total_vm rss pgtables_bytes swapents oom_score_adj name\n[ 1] 0 1 10 5 28672 0 0 ${name}\n`;

    expect(readKernel(table('a') + table('b')).tasks.map((task) => task.name)).toEqual(['b']);
  });
});

it('any text is read without a throw, and every citation stands in its line', () => {
  const line = fc.oneof(fc.constantFrom(MEMCG, NONE, `${KILL}`), fc.string());
  fc.assert(
    fc.property(fc.array(line, { maxLength: 12 }), (lines) => {
      const text = lines.join('\n');
      const physical = text.split('\n');
      for (const kill of readKernel(text).kills) {
        for (const from of kill.from) if (from.kind === 'line') expect(physical[from.line - 1]).toContain(from.text);
      }
    }),
    { numRuns: 300, seed: 9 },
  );
});
