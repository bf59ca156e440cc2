import type { LineCitation } from '../../../model/citation.ts';
import type { Fact } from '../../../model/fact.ts';
import { GIB } from '../../../model/quantity.ts';
import { cleanLine } from '../../scan/clean-line.ts';
import { fact } from '../draft.ts';
import type { Evidence } from '../evidence.ts';
import { tailLines } from '../weigh/tail-lines.ts';
import { readRankSizes } from './rank-table.ts';
import { alike, holdMost, ownOf } from './same-size.ts';

type Worker = { readonly own: number; readonly from: LineCitation };

// ray-project/ray src/ray/common/memory_monitor.cc, TopNMemoryDebugString: the private memory of each process, by size.
const ROW =
  /^(?:\(\w{1,40} pid=\d{1,10}(?:, ip=[\d.]{7,15})?\)\s{1,4}){0,2}\s{0,8}(\d{1,10})\s{1,8}(\d{1,6}\.\d{1,4})\s{1,8}(?:ray::|VLLM::|sglang::|\S{0,80}python)/;
// src/ray/raylet/node_manager.cc, CreateOomKillMessageDetails: the worker that it ended, and what was in use.
const ENDED =
  /\bpid=(?<pid>\d{1,10}), memory used=(?<own>[\d.]{1,12})GB\) was running was (?<used>[\d.]{1,12})GB \/ [\d.]{1,12}GB/;

/**
 * How many workers of nearly one size Ray lists where it ended one for want of RAM, or people kept readings of; 0 where others
 * hold most of it.
 */
export function readEqualWorkers(evidence: Evidence): Fact | undefined {
  const { log } = evidence;
  const lines = log.main === undefined ? [] : tailLines(log.main);
  const ended = lines.flatMap((from) => {
    const groups = ENDED.exec(from.text)?.groups;
    return groups === undefined ? [] : [{ groups, from }];
  })[0];
  const own = ended && { pid: ended.groups.pid ?? '', own: Number(ended.groups.own) * GIB, from: ended.from };
  const listed = new Map([...lines.flatMap(readRow), ...(own === undefined ? [] : [own])].map((one) => [one.pid, one]));
  const workers: readonly Worker[] = listed.size < 2 ? readRankSizes(evidence) : [...listed.values()];
  if (workers.length < 2) return undefined;
  const same = alike(workers);
  const used = ended === undefined ? ownOf(workers) : Number(ended.groups.used) * GIB;
  return fact(
    holdMost(same, used) ? same.length : 0,
    same.map(({ from }) => from),
  );
}

function readRow(from: LineCitation): readonly (Worker & { readonly pid: string })[] {
  const [, pid, own] = ROW.exec(cleanLine(from.text).clean) ?? [];
  return pid === undefined ? [] : [{ pid, own: Number(own) * GIB, from }];
}
