import type { Cited } from '../../../model/engine-reader.ts';
import { citedNumber, computed, type Group } from '../draft.ts';
import type { Evidence } from '../evidence.ts';
import { isAllNamed, namedFiles } from './named-files.ts';
import { ranksShown } from './offload-lines.ts';
import { processesOf } from './processes.ts';
import { RANKS } from './ranks.ts';
import { BY_FILE } from './read-whole.ts';

/** What the start takes in host memory at the least, by processes, offloading and files read whole, against the room there is. */
export function deriveStartRam(evidence: Evidence, ram: Group): Group {
  const ranks = rankCount(evidence);
  const most = isAllNamed(evidence) ? computed([namedFiles(evidence), ranks], (bytes, n) => bytes * n) : undefined;
  return {
    ...mostOf(evidence, ram, citedNumber(most)),
  };
}

// The whole checkpoint in each rank, all that its processes may hold, and what is kept: known only where each of them is.
function mostOf(evidence: Evidence, ram: Group, load: Cited<number> | undefined): Group {
  const processes = processesOf(evidence);
  const kept = citedNumber(ram['ram.offload-bytes']);
  const isOpen = kept === undefined && ram['ram.offload-configured']?.kind === 'known';
  if (processes === undefined || !BY_FILE.has(evidence.engine.engine) || isOpen) return {};
  return {};
}

// What the load takes is given back after it.

function rankCount(evidence: Evidence): Cited<number> | undefined {
  const { args, engine } = evidence;
  const ranked = args.find(({ flag }) => RANKS.test(flag)) ?? args[0];
  const from = ranked?.from ?? engine.milestones[0]?.from;
  return from && { value: ranksShown(evidence), from };
}

// One file at a time in every rank: files of a checkpoint are of nearly one size, and the log counts them.
