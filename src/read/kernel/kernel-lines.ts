import type { LineCitation } from '../../model/citation.ts';
import { citeLine, type TextLine } from '../text/lines.ts';
import { parseTime } from '../text/when.ts';

export const KERNEL_FILE = 'kernel.txt';
const PAGE = 4096;

/**
 * Whose memory ran out. `pod`: what all its containers and volumes in memory share. `numa-nodes`: of the NUMA nodes that the
 * process is bound to, and not of the machine.
 */
export type KillScope = 'container' | 'pod' | 'node' | 'numa-nodes' | 'unstated';

/** One process ended by the kernel. Sizes in bytes; `at` epoch ms where the line bears a date. */
export type KernelKill = {
  readonly scope: KillScope;
  readonly pid: number | undefined;
  readonly name: string | undefined;
  /** Where no process is named as the victim: who asked for memory, or the unit or group whose process it was. */
  readonly about: string | undefined;
  readonly at: number | undefined;
  readonly oomMemcg: string | undefined;
  readonly taskMemcg: string | undefined;
  readonly anonRss: number | undefined;
  readonly fileRss: number | undefined;
  readonly shmemRss: number | undefined;
  readonly from: readonly LineCitation[];
};

export type KernelTask = {
  readonly pid: number;
  readonly name: string;
  /** Resident set in bytes. */
  readonly rss: number;
  /** What of it is its own, bytes: anonymous memory; where an old kernel does not tell it apart, all of it. */
  readonly own: number;
  readonly from: LineCitation;
};

const NO_SIZES = { anonRss: undefined, fileRss: undefined, shmemRss: undefined };

// mm/oom_kill.c, constrained_alloc: a memory policy or the `mems_allowed` of a cpuset leaves out nodes that have memory.
const SCOPES: Readonly<Record<string, KillScope>> = {
  CONSTRAINT_MEMCG: 'container',
  CONSTRAINT_MEMORY_POLICY: 'numa-nodes',
  CONSTRAINT_CPUSET: 'numa-nodes',
};

/** `oom-kill:constraint=CONSTRAINT_MEMCG,...,task=python,pid=1,uid=0`: whose limit it was, and who has to go. */
export function constraintOf(line: TextLine): KernelKill | undefined {
  const match = /oom-kill:constraint=(CONSTRAINT_\w+)(.*)$/.exec(line.text);
  if (match === null) return undefined;
  const rest = match[2] ?? '';
  const field = (name: string): string | undefined => new RegExp(`,${name}=([^,]*)`).exec(rest)?.[1];
  const pid = field('pid');
  const scope = SCOPES[match[1] ?? ''] ?? 'node';
  return {
    scope: scope === 'container' ? scopeOfGroup(field('oom_memcg'), field('task_memcg')) : scope,
    pid: pid === undefined || !/^\d{1,9}$/.test(pid) ? undefined : Number(pid),
    name: field('task'),
    about: undefined,
    at: parseTime(line.text),
    oomMemcg: field('oom_memcg'),
    taskMemcg: field('task_memcg'),
    ...NO_SIZES,
    from: [citeLine(KERNEL_FILE, line)],
  };
}

// kubelet, pkg/kubelet/cm: the groups of all pods and of a class of service have what the node may give to pods as their limit.
const OF_ALL_PODS = /\/kubepods(?:-(?:burstable|besteffort))?(?:\.slice)?$|\/kubepods\/(?:burstable|besteffort)$/;
const OF_ONE_POD = /[/-]pod[\w-]{1,40}(?:\.slice)?$/;

// `oom_memcg` is the group whose limit was met: that of the victim, or one around it.
function scopeOfGroup(met: string | undefined, own: string | undefined): KillScope {
  if (met === undefined || met === own) return 'container';
  if (OF_ALL_PODS.test(met)) return 'node';
  return OF_ONE_POD.test(met) ? 'pod' : 'container';
}

const KILLED =
  /(Memory cgroup out of memory: |Out of memory(?: \([^)]*\))?: )?Kill(?:ed)? process (?:(\d{1,9}),? (?:UID \d{1,10}, )?)?\(([^)]*)\)/;

/** `Memory cgroup out of memory: Killed process 1 (python) total-vm:...`, or the same without its beginning. */
export function killOf(line: TextLine): KernelKill | undefined {
  const match = KILLED.exec(line.text);
  if (match === null) return undefined;
  const prefix = match[1] ?? '';
  const size = (name: string): number | undefined => {
    const digits = new RegExp(`\\b${name}:(\\d{1,15})kB`, 'i').exec(line.text)?.[1];
    return digits === undefined ? undefined : Number(digits) * 1024;
  };
  return {
    scope: prefix.startsWith('Memory') ? 'container' : prefix === '' ? 'unstated' : 'node',
    // Who pastes a line often takes the pid out.
    pid: match[2] === undefined ? undefined : Number(match[2]),
    name: match[3],
    about: undefined,
    at: parseTime(line.text),
    oomMemcg: undefined,
    taskMemcg: undefined,
    anonRss: size('anon-rss'),
    fileRss: size('file-rss'),
    shmemRss: size('shmem-rss'),
    from: [citeLine(KERNEL_FILE, line)],
  };
}

const NODE_IS_DRY =
  /Out of memory: \S{1,20} panic_on_oom is enabled|System is deadlocked on memory|Out of memory and no killable/;

const REAPED = /oom_reaper: (?:reaped|unable to reap) (?:process|pid[:=]?)\s?:?(\d{1,9}) \(([^)]*)\)/;
const ASKED = /(?:^|[\]\s])([^\s\]][^\]]{0,40}?) invoked oom-killer:/;
// `gpu-1 systemd[1]: ollama.service: Failed with result 'oom-kill'.` (systemd src/core/unit.c)
const OF_UNIT =
  /(?:^|\s)(?:(\S{1,300}): )?(?:A process of this unit has been killed by the OOM killer|Failed with result 'oom-kill')/;

// kubernetes pkg/kubelet/oom/oom_watcher_linux.go: of a kill in the root group, which is of the whole node.
const OF_SYSTEM = /System OOM encountered, victim process: ([^,]{1,64}), pid: (\d{1,9})/;
// `container oom 4f5e... (image=redis:7, name=cache)` of `docker events` (moby daemon/monitor.go).
const OF_DOCKER = /\bcontainer oom ([0-9a-f]{12,64}) \((?:[^)]{0,400}?\bimage=([^,)]{1,300}))?/;

function killOfEvent(line: TextLine): KernelKill | undefined {
  const system = OF_SYSTEM.exec(line.text);
  if (system !== null) return { ...nobody(line), scope: 'node', name: system[1], pid: Number(system[2]) };
  const docker = OF_DOCKER.exec(line.text);
  if (docker === null) return undefined;
  return { ...nobody(line), scope: 'container', taskMemcg: docker[1], about: docker[2]?.split('/').at(-1) };
}

/** Lines about a kill that do not name its limit: the reaper, the caller, systemd, events. */
export function hintOf(line: TextLine): KernelKill | undefined {
  const event = killOfEvent(line);
  if (event !== undefined) return event;
  const reaped = REAPED.exec(line.text);
  const asked = ASKED.exec(line.text);
  const unit = OF_UNIT.exec(line.text);
  const ofNode = NODE_IS_DRY.test(line.text);
  const told = /invoked oom-killer:|killed by the OOM killer/.test(line.text);
  if (!ofNode && reaped === null && unit === null && !told) return undefined;
  return {
    ...nobody(line),
    scope: ofNode ? 'node' : 'unstated',
    pid: reaped === null ? undefined : Number(reaped[1]),
    name: reaped?.[2],
    about: asked?.[1] ?? unit?.[1],
  };
}

/** The kill that a message is about, as far as it describes it. */
export function killToldBy(line: TextLine): KernelKill {
  return killOf(line) ?? hintOf(line) ?? nobody(line);
}

// systemd src/oom/oomd-manager.c; rfjakob/earlyoom kill.c.
const BY_OOMD =
  /Killed (\/\S{1,300}) due to memory (?:pressure for|used \()|(?:^|\s)(\S{1,300}): systemd-oomd killed \d/;
const BY_EARLYOOM = /sending SIG(?:TERM|KILL) to process (\d{1,9}) uid \d{1,20} "([^"]{1,64})"/;

/** A kill by a program that watches the memory of the whole machine; no oom-kill of the kernel. */
export function killByDaemon(line: TextLine): KernelKill | undefined {
  const oomd = BY_OOMD.exec(line.text);
  if (oomd !== null) return { ...nobody(line), about: oomd[1] ?? oomd[2] };
  const early = BY_EARLYOOM.exec(line.text);
  return early === null ? undefined : { ...nobody(line), pid: Number(early[1]), name: early[2] };
}

function nobody(line: TextLine): KernelKill {
  return {
    scope: 'unstated',
    pid: undefined,
    name: undefined,
    about: undefined,
    at: parseTime(line.text),
    oomMemcg: undefined,
    taskMemcg: undefined,
    ...NO_SIZES,
    from: [citeLine(KERNEL_FILE, line)],
  };
}

// `[  59249]     0 59249  9743705   105957  1683456        0           999 tritonserver`; newer kernels split rss in three.
const TASK =
  /\[\s*(\d{1,9})\]\s+\d+\s+\d+\s+\d+\s+(\d{1,15})\s+(?:(\d{1,15})(?:\s+-?\d+){5}|-?\d+(?:\s+-?\d+){2,4})\s+(\S.*)$/;

/** A row of the task table; its sizes are in pages of 4 KiB. */
export function taskOf(line: TextLine): KernelTask | undefined {
  const match = TASK.exec(line.text);
  if (match === null) return undefined;
  const from = citeLine(KERNEL_FILE, line);
  const [, pid, rss, anon = rss, name = ''] = match;
  return { pid: Number(pid), name, rss: Number(rss) * PAGE, own: Number(anon) * PAGE, from };
}

/** `memory: usage 131072kB, limit 131072kB, failcnt 15691` in bytes. */
export function usageOf(line: TextLine): { usage: number; limit: number } | undefined {
  const match = /(?:^|\s)memory: usage (\d{1,15})kB, limit (\d{1,16})kB/.exec(line.text);
  return match === null ? undefined : { usage: Number(match[1]) * 1024, limit: Number(match[2]) * 1024 };
}

export type MemcgStat = { readonly key: 'anon' | 'file' | 'shmem'; readonly bytes: number };

const KEYS: Readonly<Record<string, MemcgStat['key']>> = {
  anon: 'anon',
  rss: 'anon',
  file: 'file',
  cache: 'file',
  shmem: 'shmem',
};

/**
 * `anon 110723072` of cgroup v2, a line each or pasted behind their head, and `cache:0KB rss:1024KB` of v1, all in bytes.
 * Newer kernels give those of v1 a line each too, the groups below counted in `total_rss 1048576` (mm/memcontrol-v1.c).
 */
export function statsOf(line: TextLine): readonly MemcgStat[] {
  const one = /(?:^|\]|:)\s*(?:total_)?(anon|file|rss|cache|shmem) (\d{1,16})$/.exec(line.text);
  if (one !== null) return statOf(one[1], Number(one[2]));
  const [, behind] = line.text.split('Memory cgroup stats for');
  if (behind === undefined) return [];
  const joined = behind.matchAll(/\s(anon|file|shmem) (\d{1,16})(?=\s|$)/g);
  const old = behind.matchAll(/\b(rss|cache|shmem):(\d{1,15})KB/g);
  return [
    ...[...joined].flatMap(([, word, digits]) => statOf(word, Number(digits))),
    ...[...old].flatMap(([, word, digits]) => statOf(word, Number(digits) * 1024)),
  ];
}

function statOf(word: string | undefined, bytes: number): readonly MemcgStat[] {
  const key = KEYS[word ?? ''];
  return key === undefined ? [] : [{ key, bytes }];
}
