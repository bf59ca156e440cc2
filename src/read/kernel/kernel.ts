import type { Cited } from '../../model/engine-reader.ts';
import { cited, evidenceLines, type TextLine } from '../text/lines.ts';
import {
  constraintOf,
  hintOf,
  KERNEL_FILE,
  type KernelKill,
  type KernelTask,
  type KillScope,
  killOf,
  type MemcgStat,
  statsOf,
  taskOf,
  usageOf,
} from './kernel-lines.ts';
import { sortOut, type Whose } from './kernel-reports.ts';

export type { KernelKill, KernelTask, Whose };

export type KernelReading = {
  /** Of the last kill: whose limit it was. `none` when no line reports a kill. */
  readonly kind: KillScope | 'none';
  readonly victim: KernelKill | undefined;
  readonly kills: readonly KernelKill[];
  /** Of the memory cgroup that ran full, bytes. */
  readonly usage: Cited<number> | undefined;
  readonly limit: Cited<number> | undefined;
  /** By the account of that cgroup; where it was not kept, by the largest process that was killed, which is the least it can be. */
  readonly anon: Cited<number> | undefined;
  readonly file: Cited<number> | undefined;
  readonly shmem: Cited<number> | undefined;
  /** The last task table. */
  readonly tasks: readonly KernelTask[];
  /** Lines, by number, of kills that are another's, and of those of which it cannot be told. No other field has them. */
  readonly others: ReadonlySet<number>;
  readonly unsure: ReadonlySet<number>;
  /** Lines that are not blank. */
  readonly evidenceLines: number;
};

/** kernel.txt as dmesg or the journal prints it, of the whole node. Kills that are not known to be the container's are left out with everything about them. Never throws. */
export function readKernel(text: string, whose: (kill: KernelKill) => Whose = () => 'own'): KernelReading {
  const lines = evidenceLines(text);
  const all = readLines(lines);
  const { others, unsure } = sortOut(lines, all.kills, whose);
  const own = lines.filter(({ n }) => !others.has(n) && !unsure.has(n));
  const read = own.length === lines.length ? all : readLines(own);
  return { ...read.reading, others, unsure, evidenceLines: lines.length };
}

function readLines(lines: readonly TextLine[]) {
  const reader = new KernelReader();
  for (const line of lines) reader.take(line);
  const reading = reader.reading();
  return { reading, kills: reader.kills };
}

class KernelReader {
  #kills: KernelKill[] = [];
  #hints: KernelKill[] = [];
  #constraint: KernelKill | undefined;
  #limitOfGroup = false;
  #tasks: KernelTask[] = [];
  #tableIsOver = false;
  #usage: Cited<{ usage: number; limit: number }> | undefined;
  readonly #stats: Partial<Record<MemcgStat['key'], Cited<number>>> = {};

  take(line: TextLine): void {
    if (this.#takeKill(line)) return;
    this.#takeTask(line);
    const usage = usageOf(line);
    if (usage !== undefined) {
      this.#usage = cited(usage, KERNEL_FILE, line);
      // Printed where a group ran full and never where the node did (mm/memcontrol.c, mem_cgroup_print_oom_meminfo).
      this.#limitOfGroup = true;
    }
    for (const stat of statsOf(line)) this.#stats[stat.key] = cited(stat.bytes, KERNEL_FILE, line);
    // Kernels before 4.19 tell the limit in words of their own, above the kill.
    if (/killed as a result of limit of|going to be killed due to memory\.oom\.group/.test(line.text)) {
      this.#limitOfGroup = true;
    }
  }

  /** Those that the kernel itself reports, without what only hints at one. */
  get kills(): readonly KernelKill[] {
    return this.#kills;
  }

  reading(): Omit<KernelReading, 'others' | 'unsure' | 'evidenceLines'> {
    this.#closeConstraint();
    const kills = this.#kills.length > 0 ? this.#kills : this.#hints;
    const victim = kills.at(-1);
    const usage = this.#usage;
    const account = { ...ofLargest(kills), ...this.#stats };
    return {
      kind: victim?.scope ?? 'none',
      victim,
      kills,
      usage: usage && { value: usage.value.usage, from: usage.from },
      limit: limitOf(usage, victim),
      anon: account.anon,
      file: account.file,
      shmem: account.shmem,
      tasks: this.#tasks,
    };
  }

  // The head of a table is the first thing that is cut away; the kill that it led to is below it (mm/oom_kill.c).
  #takeTask(line: TextLine): void {
    const task = taskOf(line);
    const begins = /\[\s*pid\s*\]\s+uid/.test(line.text) || (this.#tableIsOver && task !== undefined);
    if (begins) this.#tasks = [];
    if (begins || task !== undefined) this.#tableIsOver = false;
    if (task !== undefined) this.#tasks.push(task);
  }

  #takeKill(line: TextLine): boolean {
    const constraint = constraintOf(line);
    if (constraint !== undefined) {
      this.#closeConstraint();
      this.#constraint = constraint;
      return true;
    }
    const kill = killOf(line);
    if (kill !== undefined) {
      this.#tableIsOver = true;
      this.#kills = addKill(this.#kills, this.#merged(kill));
      return true;
    }
    const hint = hintOf(line);
    if (hint !== undefined) this.#hints.push(hint);
    return hint !== undefined;
  }

  // The constraint stands in the line above the kill; the kill has the sizes.
  #merged(kill: KernelKill): KernelKill {
    const above = this.#constraint;
    const isSame = above !== undefined && (above.pid === undefined || above.pid === kill.pid);
    if (!isSame) return this.#limitOfGroup && kill.scope === 'unstated' ? { ...kill, scope: 'container' } : kill;
    this.#constraint = undefined;
    return {
      ...kill,
      scope: above.scope,
      at: kill.at ?? above.at,
      oomMemcg: above.oomMemcg,
      taskMemcg: above.taskMemcg,
      from: [...above.from, ...kill.from],
    };
  }

  // A paste that ends after the constraint still names the victim.
  #closeConstraint(): void {
    if (this.#constraint !== undefined) this.#kills.push(this.#constraint);
    this.#constraint = undefined;
  }
}

type Account = Partial<Record<MemcgStat['key'], Cited<number>>>;

// The sizes stand in the kill line itself, the last of those that were put together.
function ofLargest(kills: readonly KernelKill[]): Account {
  const sized = kills.filter(({ anonRss, shmemRss }) => anonRss !== undefined || shmemRss !== undefined);
  const largest = sized.toSorted((a, b) => residentOf(b) - residentOf(a))[0];
  const from = largest?.from.at(-1);
  if (largest === undefined || from === undefined) return {};
  const entries = { anon: largest.anonRss, file: largest.fileRss, shmem: largest.shmemRss };
  return Object.fromEntries(
    Object.entries(entries).flatMap(([key, value]) => (value === undefined ? [] : [[key, { value, from }]])),
  );
}

function residentOf({ anonRss = 0, shmemRss = 0 }: KernelKill): number {
  return anonRss + shmemRss;
}

/** What a cgroup without a limit prints is near 2^63 (mm/page_counter.c, PAGE_COUNTER_MAX). */
const NO_LIMIT = 2 ** 60;

// The limit of a pod or a slice around the container is another one than the container's.
function limitOf(
  usage: Cited<{ usage: number; limit: number }> | undefined,
  victim: KernelKill | undefined,
): Cited<number> | undefined {
  if (
    usage === undefined ||
    usage.value.limit >= NO_LIMIT ||
    victim?.scope === 'node' ||
    victim?.scope === 'numa-nodes'
  )
    return undefined;
  if (victim?.oomMemcg !== victim?.taskMemcg) return undefined;
  return { value: usage.value.limit, from: usage.from };
}

// Old kernels announce (`Kill process 1 (x) score 900`) and then report (`Killed process 1 (x) total-vm:...`).
function addKill(kills: readonly KernelKill[], kill: KernelKill): KernelKill[] {
  const last = kills.at(-1);
  if (last === undefined || last.pid !== kill.pid || last.anonRss !== undefined) return [...kills, kill];
  const scope = kill.scope === 'unstated' ? last.scope : kill.scope;
  return [...kills.slice(0, -1), { ...last, ...kill, scope, from: [...last.from, ...kill.from] }];
}
