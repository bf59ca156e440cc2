import { beforeAll, describe, expect, it } from 'vitest';
import type { Facts } from '../../src/model/fact.ts';
import type { Verdict } from '../../src/model/verdict.ts';
import type { Case } from '../../src/playbook/cases-format.ts';
import { CASES, COMPILED, judge, readIncident } from './shipped.ts';

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

const lacking = () => raws.filter(({ one }) => one.name.startsWith('evidence gone: '));
const namesOf = (found: readonly Raw[]) => found.map(({ one }) => `${one.incident}: ${one.name}`);

describe('the shipped incidents of raw files', () => {
  it('lack evidence only where something is taken away, and know less then', () => {
    const less = ({ verdict }: Raw) =>
      JSON.stringify([
        verdict.finding,
        verdict.certain,
        verdict.causeCertain,
        verdict.notRuledOut.map((o) => o.branch),
      ]);

    const adding = lacking().filter(({ one }) => one.change.some((change) => (change.with ?? '') !== ''));
    const same = lacking().filter((raw) => {
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
});

// A node may be full, and files of dead engines lie about, at whatever age this one died.
const OUTLIVES = ['host-node-probable', 'host-shm-left-behind'];
const SERVING = new Set(
  (COMPILED.kind === 'bad' ? [] : COMPILED.playbook.findings)
    .filter(({ phase }) => phase.kind === 'fixed' && /^(?:burst|chronic|prefix-cache)$/.test(phase.phase))
    .map(({ id }) => id)
    .filter((id) => !OUTLIVES.includes(id)),
);

const GIB = 1024 ** 3;

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
});
