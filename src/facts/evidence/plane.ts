import type { Citation } from '../../model/citation.ts';
import type { Cause } from '../../model/taxonomy.ts';
import { deathTime } from '../../read/cluster/death.ts';
import { endsNothing } from '../../read/log/signs-of-work.ts';
import { known, type Reading } from '../../read/reading.ts';
import { type Group, uniqueProof } from '../draft.ts';
import { listedFull } from '../ram/ram.ts';
import { causeBeside } from '../when/cause-near-failure.ts';
import { standingOfKill } from '../when/kill-or-own-error.ts';
import { causeInLife, readLife } from '../when/life.ts';
import { type Moment, momentAt } from '../when/moment.ts';
import type { Life } from '../when/time-of-life.ts';
import { brokenTransfer } from './broken-transfer.ts';
import type { Evidence } from './evidence.ts';
import { meaningOf, partsOf } from './meaning.ts';
import { tailLines } from './tail-lines.ts';
import { citeHit } from './weigh.ts';

type Weighty = {
  readonly plane: 'gpu' | 'host' | 'none';
  readonly weight: 'proof' | 'strong';
  readonly cause: Cause | undefined;
  readonly from: Citation[];
  readonly meaning?: string | undefined;
  /** Of a kill for want of RAM. */
  readonly killedAt?: Moment;
};

/** The weightiest evidence of all sources: status and kernel before the log where both are proofs, any proof before what is strong. */
export function derivePlane(evidence: Evidence): Group {
  const life = readLife(evidence);
  const told = fromLog(evidence, life.kind === 'known' ? life.value : undefined);
  const killed = fromStatus(evidence) ?? fromKernel(evidence) ?? fromEvents(evidence);
  // The end of a helper is no proof against what the engine itself wrote.
  const isOfHelper = evidence.death.kind === 'death' && evidence.death.death.role !== 'engine';
  const standing = isOfHelper || killed?.killedAt === undefined ? undefined : standingOfKill(evidence, killed.killedAt);
  if (standing === 'open') return { 'death.two-ends': known(true, ...(killed?.from ?? [])) };
  const found = standing === 'older' ? undefined : killed;
  // A note of the same kill, which the log outlived as well.
  const log = standing === 'older' && isOfNote(evidence) ? undefined : told;
  const proved = isOfHelper && isFatal(evidence) ? log : [found, log].find((one) => one?.weight === 'proof');
  const best = proved ?? log ?? fromSharedMemory(evidence) ?? fromProbe(evidence);
  return best === undefined ? {} : decided(best);
}

function decided(best: Weighty): Group {
  const told = (text: string | undefined) => (text === undefined ? undefined : known(text, ...best.from));
  const { named } = partsOf(best.meaning ?? '');
  return {
    'evidence.plane': known(best.plane, ...best.from),
    'evidence.cause': known<string>(best.cause ?? 'unnamed', ...best.from),
    'evidence.meaning': told(best.meaning),
    'evidence.named': told(named),
  };
}

function isYes(finding: Reading<boolean>): finding is Extract<Reading<boolean>, { kind: 'known' }> {
  return finding.kind === 'known' && finding.value;
}

function fromStatus({ kubernetes, death }: Evidence): Weighty | undefined {
  const { oomKilled, evicted, evictedFor } = kubernetes;
  if (isYes(oomKilled)) {
    const killedAt = momentAt(deathTime(death));
    return { plane: 'host', weight: 'proof', cause: undefined, from: oomKilled.from, killedAt };
  }
  if (evicted.kind === 'known' && evicted.value === 'memory') {
    return { plane: 'host', weight: 'proof', cause: 'host.node-pressure', from: evicted.from };
  }
  if (evictedFor.kind === 'known' && evictedFor.value === 'empty-dir') {
    return { plane: 'host', weight: 'proof', cause: 'host.shm', from: evictedFor.from };
  }
  if (evictedFor.kind === 'known' && /^(?:own-storage|storage|pids)$/.test(evictedFor.value)) {
    return { plane: 'none', weight: 'proof', cause: 'none.other', from: evictedFor.from };
  }
  return undefined;
}

function isOfNote({ weighing: { decisive }, log }: Evidence): boolean {
  return decisive !== undefined && decisive.file !== log.main?.file;
}

function isFatal({ weighing: { decisive } }: Evidence): boolean {
  return decisive !== undefined && !endsNothing(decisive.phrase);
}

function fromKernel({ kernel }: Evidence): Weighty | undefined {
  if (kernel?.victim === undefined || kernel.kind === 'none') return undefined;
  const cause = kernel.kind === 'node' ? 'host.node-pressure' : undefined;
  const killedAt = momentAt(kernel.victim.at);
  return { plane: 'host', weight: 'proof', cause, from: uniqueProof(kernel.victim.from), killedAt };
}

// What a detector of problems on the node read in its kernel log.
function fromEvents({ nodeKills, death }: Evidence): Weighty | undefined {
  const ofNode = nodeKills.ofNode[0];
  const kill = ofNode ?? nodeKills.ofContainer[0];
  if (kill === undefined) return undefined;
  const cause = ofNode === undefined ? undefined : 'host.node-pressure';
  return { plane: 'host', weight: 'proof', cause, from: [kill.from], killedAt: momentAt(kill.at ?? deathTime(death)) };
}

function fromLog(evidence: Evidence, life: Life | undefined): Weighty | undefined {
  const { weighing } = evidence;
  const { decisive } = weighing;
  if (decisive === undefined) return undefined;
  const { plane, weight } = decisive.phrase;
  if (plane !== 'gpu' && plane !== 'host' && plane !== 'none') return undefined;
  const broke = brokenTransfer(evidence, decisive);
  if (broke !== undefined) return { plane, weight: 'strong', cause: 'none.comm', from: [broke, citeHit(decisive)] };
  return {
    plane,
    weight: weight === 'proof' ? 'proof' : 'strong',
    cause: causeInLife(decisive, life) ?? causeBeside(weighing, decisive, life),
    from: [citeHit(decisive)],
    meaning: meaningOf(decisive),
  };
}

// Where frames show that files of weights were read, it is theirs as likely.
const MAPPED = /\bFile "[^"]*(?:safetensors|weight_utils|mmap)|\bin \w*(?:safetensors|weights_iterator)/;

// A bus error alone can be a mapped file that was cut short; on a full /dev/shm it is the page that had nothing behind it.
function fromSharedMemory({ weighing, log }: Evidence): Weighty | undefined {
  if (log.main !== undefined && tailLines(log.main).some(({ text }) => MAPPED.test(text))) return undefined;
  const error = weighing.hints.find(({ phrase }) => phrase.id === 'host.bus-error');
  const full = listedFull(weighing);
  if (error === undefined || full === undefined) return undefined;
  return { plane: 'host', weight: 'strong', cause: 'host.shm', from: [citeHit(error), citeHit(full)] };
}

// Last: a failing probe is what a dead engine looks like from outside, so an error in the log outweighs it.
function fromProbe({ kubernetes }: Evidence): Weighty | undefined {
  const { probeKilled } = kubernetes;
  if (!isYes(probeKilled)) return undefined;
  return { plane: 'none', weight: 'strong', cause: 'none.probe-kill', from: probeKilled.from };
}
