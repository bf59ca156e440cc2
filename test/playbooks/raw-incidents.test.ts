import { beforeAll, describe, expect, it } from 'vitest';
import type { Facts } from '../../src/model/fact.ts';
import { Cause } from '../../src/model/taxonomy.ts';
import type { Verdict } from '../../src/model/verdict.ts';
import type { Case } from '../../src/playbook/cases-format.ts';
import { Coverage, KINDS } from '../../src/playbook/coverage.ts';
import { walk } from '../../src/playbook/walk.ts';
import { CASES, COMPILED, INCIDENTS, judge, readIncident } from './shipped.ts';

// The word that the name of a case begins with, by the kind of case that it is.
const SAID = {
  'on-the-line': 'on the line: ',
  'near-miss': 'near miss: ',
  'evidence-gone': 'evidence gone: ',
} as const;

// Told by words and states of Kubernetes, which have no mark to stand on: the case on the line has the nearest of them.
const BY_WORDS: ReadonlySet<Cause> = new Set([
  'host.shm',
  'host.node-pressure',
  'none.gpu-fault',
  'none.comm',
  'none.driver',
  'none.config',
  'none.request-rejected',
  'none.scheduling',
]);

type Raw = { readonly one: Case; readonly facts: Facts; readonly verdict: Verdict; readonly says: string };

const raws: Raw[] = [];
const plain = new Map<string, Raw>();

beforeAll(async () => {
  for (const one of CASES.flatMap(({ cases }) => cases)) {
    if (one.incident === undefined) continue;
    const facts = await readIncident(one.incident, one.change);
    const { verdict, says } = judge(facts, one.incident);
    const raw = { one, facts, verdict, says };
    raws.push(raw);
    if (one.change.length === 0) plain.set(one.incident, raw);
  }
});

const kindOf = ({ name, change }: Case) =>
  change.length === 0 ? 'hit' : KINDS.find((kind) => kind !== 'hit' && name.startsWith(SAID[kind]));

/** The cause that a varied case is about; one that stands on a line is about both sides of it. */
function causesOf({ one, verdict }: Raw): readonly Cause[] {
  const of = plain.get(one.incident ?? '')?.verdict.cause;
  if (of === undefined) return [];
  return kindOf(one) === 'on-the-line' ? [of, verdict.cause] : [of];
}

const named = (kind: string) => raws.filter(({ one }) => kindOf(one) === kind);
const namesOf = (found: readonly Raw[]) => found.map(({ one }) => `${one.incident}: ${one.name}`);

describe('the shipped incidents of raw files', () => {
  it('have each a case without a change', () => {
    expect(INCIDENTS.filter((name) => !plain.has(name))).toEqual([]);
  });

  it.each(Cause.options)('show %s hit, on the line, narrowly missed and with its evidence gone', (cause) => {
    const lacking = KINDS.filter((kind) => !named(kind).some((raw) => causesOf(raw).includes(cause)));

    expect(lacking).toEqual([]);
  });

  it('miss narrowly what ends at another cause', () => {
    expect(namesOf(named('near-miss').filter((raw) => causesOf(raw).includes(raw.verdict.cause)))).toEqual([]);
  });

  it('lack evidence only where something is taken away, and know less then', () => {
    const less = ({ verdict }: Raw) =>
      JSON.stringify([
        verdict.finding,
        verdict.certain,
        verdict.causeCertain,
        verdict.notRuledOut.map((o) => o.branch),
      ]);

    const adding = named('evidence-gone').filter(({ one }) => one.change.some((change) => (change.with ?? '') !== ''));
    const same = named('evidence-gone').filter((raw) => {
      const whole = plain.get(raw.one.incident ?? '');
      return whole !== undefined && less(raw) === less(whole);
    });

    expect(namesOf([...adding, ...same])).toEqual([]);
  });

  it('are told without a number that is not there', () => {
    expect(raws.filter(({ says }) => says.includes('not known')).map(({ one, says }) => [one.name, says])).toEqual([]);
  });

  it('leave open at a start only what can happen at a start', () => {
    const starts = raws.filter(({ facts }) => known(facts, 'failure.life') === 'starting');
    const late = starts.flatMap(({ one, verdict }) =>
      verdict.notRuledOut.filter(({ finding }) => SERVING.has(finding)).map((open) => `${one.name}: ${open.branch}`),
    );

    expect(late).toEqual([]);
  });

  it('leave no books of an allocator open where the engine itself counted', () => {
    const refused = raws.filter(({ verdict }) => verdict.finding === 'gpu-startup-kv-refused');

    expect(refused.flatMap(({ verdict }) => verdict.notRuledOut.map(({ finding }) => finding))).not.toContain(
      'accounting',
    );
  });

  it('stand exactly on a mark of the playbook where one parts the causes', () => {
    const beside = named('on-the-line').filter((raw) => !isOnAMark(raw) && !causesOf(raw).some((c) => BY_WORDS.has(c)));

    expect(namesOf(beside)).toEqual([]);
  });
});

// A node may be full, and files of dead engines lie about, at whatever age this one died.
const OUTLIVES = ['host-node-probable', 'host-shm-left-behind'];
const SERVING = new Set(
  (COMPILED.kind === 'bad' ? [] : COMPILED.playbook.findings)
    .filter(({ phase }) => phase.kind === 'fixed' && /^(?:burst|chronic|prefix-cache)$/.test(phase.phase))
    .map(({ id }) => id)
    .filter((id) => !OUTLIVES.includes(id)),
);

function isOnAMark({ facts }: Raw): boolean {
  if (COMPILED.kind === 'bad') return false;
  const coverage = new Coverage(COMPILED.playbook);
  coverage.add('one', walk(COMPILED.playbook.start, facts), facts);
  return coverage.branches().some(({ cases }) => cases['on-the-line'].length > 0);
}

const GIB = 1024 ** 3;

// From and up to so many GiB as PyTorch, nvidia-smi or the label of the node give it.
const CARDS: readonly (readonly [string, number, number])[] = [
  ['24 GB', 20, 25],
  ['40 GB', 38, 41],
  ['48 GB', 43, 49],
  ['80 GB', 78, 81],
  ['96 GB', 93, 97],
  ['141 GB', 138, 142],
  ['192 GB', 185, 193],
  ['a MIG slice', 1, 12],
];

describe('the shipped incidents of raw files, by where they happened', () => {
  const allOf = (fact: string) => [...plain.values()].map(({ facts }) => known(facts, fact));

  it.each(['kserve', 'kaito', 'ray-serve', 'leader-worker-set', 'nim'])('meet %s around the engine', (wrapper) => {
    expect(allOf('engine.wrapper').some((name) => String(name).includes(wrapper))).toBe(true);
  });

  it.each(CARDS)('meet %s', (_, from, to) => {
    const sizes = allOf('gpu.total').map((bytes) => Number(bytes) / GIB);

    expect(sizes.filter((size) => size >= from && size <= to)).not.toEqual([]);
  });
});

function known(facts: Facts, id: string): unknown {
  const fact = facts.get(id);
  return fact?.kind === 'known' ? fact.value : undefined;
}

describe('what two of these incidents taught', () => {
  it('a pod that never died has restarted no time', () => {
    const { facts } = plain.get('sglang-full-pool') ?? { facts: new Map() };

    expect(known(facts, 'death.restarts')).toBe(0);
  });

  it('each rank of SGLang takes a host cache of its own', () => {
    const { facts } = plain.get('sglang-hicache-too-large') ?? { facts: new Map() };

    expect(Number(known(facts, 'ram.offload-bytes')) / GIB).toBeCloseTo(4 * 71.09, 1);
  });

  it('the name of a node is no figure of GPU memory', async () => {
    const facts = await readIncident('evicted', [{ file: 'describe.txt', drop: 'low on resource' }]);

    expect(known(facts, 'notes.subject')).toBeUndefined();
  });
});
