import type { Citation } from '../../model/citation.ts';
import type { Fact } from '../../model/fact.ts';
import { hasRole } from '../../model/signature-roles.ts';
import { Cause } from '../../model/taxonomy.ts';
import { deathTime } from '../../read/cluster/death.ts';
import { endsNothing } from '../../read/log/signs-of-work.ts';
import { known, type Reading } from '../../read/reading.ts';
import { uniqueProof } from '../log/draft.ts';
import { type Moment, momentAt } from '../log/run-of-log.ts';
import { tailLines } from '../log/tail-lines.ts';
import { defineFacts } from './define.ts';
import type { Evidence } from './evidence.ts';
import { firstHint, planeOfHint } from './hint.ts';
import { standingOfKill } from './kill-or-own-error.ts';
import { causeInLife, causeInReport, type Life } from './line-cause.ts';
import { citeHit, listedFull, type Weighed } from './weigh.ts';

const NEEDS = 'a line that names the memory (the whole log, the pod status or the kernel log)';

/** The weightiest evidence of all sources: status and kernel before the log where both are proofs, any proof before what is strong. */
export const PLANE_FACTS = defineFacts(
  {
    'evidence.plane': {
      unit: 'choice',
      values: ['gpu', 'host', 'none'],
      says: 'what the strongest evidence is about',
      needs: NEEDS,
    },
    'evidence.cause': {
      unit: 'choice',
      values: [...Cause.options, 'unnamed'],
      says: 'cause that the strongest evidence names',
      needs: NEEDS,
    },
    'evidence.meaning': { unit: 'text', says: 'what the deciding line means', needs: NEEDS },
  },
  (evidence, told) => {
    const life = told['failure.life'];
    const best = strongest(evidence, life?.kind === 'known' ? (life.value as Life) : undefined);
    if (best === undefined) return { 'evidence.meaning': meaningOfHint(evidence) };
    return {
      'evidence.plane': known(best.plane, ...best.from),
      'evidence.cause': known<string>(best.cause ?? 'unnamed', ...best.from),
      'evidence.meaning': best.meaning === undefined ? undefined : known(best.meaning, ...best.from),
    };
  },
);

/** The lines of a kill for lack of RAM and of an error of the engine, where nothing tells which of them was the end. */
export function linesOfTwoEnds(evidence: Evidence): readonly Citation[] | undefined {
  const killed = fromCluster(evidence);
  return killed !== undefined && standingOf(evidence, killed) === 'open' ? killed.from : undefined;
}

type Weighty = {
  readonly plane: 'gpu' | 'host' | 'none';
  readonly weight: 'proof' | 'strong';
  readonly cause: Cause | undefined;
  readonly from: Citation[];
  readonly meaning?: string | undefined;
  /** Of a kill for lack of RAM. */
  readonly killedAt?: Moment;
};

function strongest(evidence: Evidence, life: Life | undefined): Weighty | undefined {
  const told = fromLog(evidence, life);
  const killed = fromCluster(evidence);
  const standing = killed && standingOf(evidence, killed);
  if (standing === 'open') return undefined;
  const found = standing === 'older' ? undefined : killed;
  // Another file may report the same kill, which the log outlived as well.
  const log = standing === 'older' && isOfOtherFile(evidence) ? undefined : told;
  const proved = isOfHelper(evidence) && isFatal(evidence) ? log : [found, log].find((one) => one?.weight === 'proof');
  return withCauseOf(log, proved) ?? log ?? fromSharedMemory(evidence) ?? fromProbe(evidence);
}

// The pod's status proves that RAM ran out, and says nothing of the cause; a line of the log may.
function withCauseOf(log: Weighty | undefined, proved: Weighty | undefined): Weighty | undefined {
  const isSilent = proved?.plane === 'host' && proved.cause === undefined;
  if (!isSilent || log?.plane !== 'host' || log.cause === undefined) return proved;
  return { ...proved, cause: log.cause, meaning: log.meaning, from: [...log.from, ...proved.from] };
}

function fromCluster(evidence: Evidence): Weighty | undefined {
  return fromStatus(evidence) ?? fromKernel(evidence) ?? fromEvents(evidence);
}

function standingOf(evidence: Evidence, { killedAt }: Weighty) {
  return isOfHelper(evidence) || killedAt === undefined ? undefined : standingOfKill(evidence, killedAt);
}

// The end of a helper is no proof against what the engine itself wrote.
function isOfHelper({ death }: Evidence): boolean {
  return death.kind === 'death' && death.death.role !== 'engine';
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

function isOfOtherFile({ weighing: { decisive }, log }: Evidence): boolean {
  return decisive !== undefined && decisive.file !== log.main?.file;
}

function isFatal({ weighing: { decisive } }: Evidence): boolean {
  return decisive !== undefined && !endsNothing(decisive.signature);
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
  const { plane, weight } = decisive.signature;
  if (plane !== 'gpu' && plane !== 'host' && plane !== 'none') return undefined;
  return {
    plane,
    weight: weight === 'proof' ? 'proof' : 'strong',
    cause: causeInLife(decisive, life) ?? causeInReport(weighing, decisive, life),
    from: [citeHit(decisive)],
    meaning: meaningOf(decisive),
  };
}

// Where frames show that files of weights were read, it is theirs as likely.
const MAPPED = /\bFile "[^"]*(?:safetensors|weight_utils|mmap)|\bin \w*(?:safetensors|weights_iterator)/;

// A bus error alone can be a mapped file that was cut short; on a full /dev/shm it is the page that had nothing behind it.
function fromSharedMemory({ weighing, log }: Evidence): Weighty | undefined {
  if (log.main !== undefined && tailLines(log.main).some(({ text }) => MAPPED.test(text))) return undefined;
  const error = weighing.hints.find(({ signature }) => hasRole(signature, 'bus-error'));
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

// Where nothing decides, the line that points at something else than memory.
function meaningOfHint(evidence: Evidence): Fact | undefined {
  const hint = firstHint(evidence);
  if (hint === undefined || planeOfHint(hint) !== 'none') return undefined;
  const meaning = meaningOf(hint);
  return meaning === undefined ? undefined : known(meaning, citeHit(hint));
}

/** What a line means, by its signature, with the figures of this very line; a sentence whose figure the line lacks is left out. */
function meaningOf({ signature, hit }: Pick<Weighed, 'signature' | 'hit'>): string | undefined {
  const told = (signature.means ?? '').split(SENTENCE).filter((sentence) => {
    return [...sentence.matchAll(FIGURE)].every(([, name = '']) => hit.captures[name] !== undefined);
  });
  const text = told.map((one) => one.replaceAll(FIGURE, (_, name: string) => hit.captures[name] ?? '')).join(' ');
  return text === '' ? undefined : text;
}

const SENTENCE = /(?<=\.)\s+/;
const FIGURE = /\{(\w+)\}/g;
