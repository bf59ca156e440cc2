import { describe, expect, it } from 'vitest';
import { checkDirection } from '../../src/actions/guards.ts';
import { diagnoseSource } from '../../src/app/diagnose.ts';
import type { FactValue } from '../../src/model/fact.ts';
import { flagOf } from '../../src/model/flag-table.ts';
import type { Phrase } from '../../src/model/phrase.ts';
import type { Verdict } from '../../src/model/verdict.ts';
import type { Template } from '../../src/playbook/compiled.ts';
import { fill } from '../../src/playbook/fill.ts';
import { ENGINES, type Engine, moves, tableName } from './remedy-engines.ts';
import { aSnapshot, BOOK, COMPILED, COMPILED_PHRASES, judge, PHRASES } from './shipped.ts';

type Situation = { readonly phrase: Phrase; readonly engine: Engine; readonly version: string | undefined };

const BELONGS: Readonly<Record<string, string>> = { tgi: 'text-generation-inference', 'llama.cpp': 'llama.cpp' };

function decides({ plane, weight }: Phrase): boolean {
  return plane !== 'unknown' && weight !== 'context';
}

/** A phrase of an engine is met with that engine; one of a library with each. */
const SITUATIONS: readonly Situation[] = PHRASES.filter(decides).flatMap((phrase) => {
  const own = ENGINES.filter(({ name }) => name === (BELONGS[phrase.engine] ?? phrase.engine));
  if (own.length > 0) return own.flatMap((engine) => engine.versions.map((version) => ({ phrase, engine, version })));
  return ENGINES.map((engine) => ({ phrase, engine, version: engine.versions.at(-2) }));
});

const FILES = { kernel: 'kernel.txt', 'k8s-event': 'describe.txt', 'k8s-status': 'describe.txt' } as const;

async function verdictOf({ phrase, engine, version }: Situation, uptime?: string): Promise<Verdict> {
  const file = FILES[phrase.where as keyof typeof FILES] ?? 'previous.log';
  const files = {
    [file]: `${phrase.must[0]}\n`,
    'args.txt': `${engine.args}\n`,
    'incident.json': JSON.stringify({ engine: engine.name, engine_version: version, uptime }),
  };
  return (await diagnoseSource(aSnapshot(files), { phrases: COMPILED_PHRASES, judge, book: BOOK })).diagnosis.verdict;
}

type Met = Situation & { readonly verdict: Verdict };

const met: readonly Met[] = await Promise.all(
  SITUATIONS.flatMap((situation) => {
    const uptimes = situation.phrase.phase === 'any' ? ['startup', '20 minutes'] : [undefined];
    return uptimes.map(async (uptime) => ({ ...situation, verdict: await verdictOf(situation, uptime) }));
  }),
);

const whoDo = (all: readonly Met[], knob: 'fraction' | 'length', way: 'up' | 'down'): string[] =>
  all
    .filter(({ verdict, engine }) => verdict.remedies.some((remedy) => moves(remedy, tableName(engine), knob) === way))
    .map(title);

function title({ phrase, engine, version, verdict }: Met): string {
  return `${phrase.id} in ${engine.name} ${version}: ${verdict.finding}`;
}

describe('remedies for each signature alone, in the engines and versions that print it', () => {
  it('answer a refusal for want of KV room never with a lower fraction or a longer context', () => {
    const refusals = met.filter(({ verdict }) => verdict.cause === 'gpu.startup.kv-room');

    expect(whoDo(refusals, 'fraction', 'down')).toEqual([]);
    expect(whoDo(refusals, 'length', 'up')).toEqual([]);
  });

  it('answer it with more for the cache in every engine that has a fraction', () => {
    const silent = met.filter(({ phrase, verdict }) => {
      const line = phrase.must[0] ?? '';
      const asksForMore = /increas\w+ [`'"-]*(?:mem|gpu)/.test(line) && !/decreas/.test(line);
      return (
        phrase.causes[0] === 'gpu.startup.kv-room' &&
        asksForMore &&
        !verdict.remedies.some(({ direction }) => direction === 'raise')
      );
    });

    expect(silent.map(title)).toEqual([]);
  });

  it('answer it in SGLang with a higher fraction first and with no shorter length, which it does not hold against its pool', () => {
    const refusals = met.filter(
      ({ verdict, engine }) => engine.name === 'sglang' && verdict.cause === 'gpu.startup.kv-room',
    );
    const first = refusals.map((one) => {
      const remedy = one.verdict.remedies.find(({ kind }) => kind === 'stop-bleed');
      return { who: title(one), way: remedy && moves(remedy, 'sglang', 'fraction') };
    });

    expect(first.filter(({ way }) => way !== 'up')).toEqual([]);
    expect(whoDo(refusals, 'length', 'down')).toEqual([]);
  });

  it('answer what lies beside the fraction of SGLang with a lower one', () => {
    const beside = met.filter(
      ({ phrase, engine }) => phrase.id === 'sglang.start.checkpoint-pool' && engine.name === 'sglang',
    );

    expect(whoDo(beside, 'fraction', 'up')).toEqual([]);
    expect(whoDo(beside, 'fraction', 'down')).toEqual(beside.map(title));
  });

  it('answer a failure while it runs never with a higher fraction or a longer context', () => {
    const failures = met.filter(
      ({ verdict: { plane, phase } }) => plane === 'gpu' && ['burst', 'chronic', 'prefix-cache'].includes(phase),
    );

    expect(whoDo(failures, 'fraction', 'up')).toEqual([]);
    expect(whoDo(failures, 'length', 'up')).toEqual([]);
  });

  it('are none of memory for what only looks like it', () => {
    const others = met.filter(({ verdict }) => verdict.plane === 'none' || verdict.plane === 'unknown');
    const ACTS = ['stop-bleed', 'set-args', 'set-allocator', 'raise-ram', 'scale-to-zero', 'restart-drained'];

    expect(
      others
        .filter(({ verdict }) =>
          verdict.remedies.some(({ action, edits }) => ACTS.includes(action) || edits.length > 0),
        )
        .map(title),
    ).toEqual([]);
    expect(whoDo(others, 'fraction', 'up')).toEqual([]);
    expect(whoDo(others, 'fraction', 'down')).toEqual([]);
  });

  it('raise the limit of RAM only where RAM has failed', () => {
    const wrong = met.filter(
      ({ verdict }) =>
        (verdict.plane === 'gpu' || verdict.cause === 'host.node-pressure') &&
        verdict.remedies.some(({ action }) => action === 'raise-ram'),
    );

    expect(wrong.map(title)).toEqual([]);
  });

  it('move the main knob where they say that they do', () => {
    const wrong = met.flatMap((one) =>
      one.verdict.remedies.flatMap(({ edits, direction }) =>
        checkDirection(edits, direction).map(({ says }) => `${title(one)}: ${says}`),
      ),
    );

    expect(wrong).toEqual([]);
  });

  it('name only flags that the engine has in its version, and without a version only what every version has', () => {
    const wrong = met.flatMap((one) =>
      one.verdict.remedies.flatMap(({ edits }) =>
        edits
          .filter(({ flag }) => flag !== 'resources.limits.memory')
          .filter(({ flag }) => flagOf(tableName(one.engine), one.version, flag).kind !== 'exists')
          // What the engine's own error names is there, whichever version prints it.
          .filter(({ flag }) => one.phrase.must[0]?.includes(flag) !== true)
          .map(({ flag }) => `${title(one)}: ${flag}`),
      ),
    );

    expect(wrong).toEqual([]);
  });
});

// Every number that an edit may be made of, on the side on which it may lie.
const NUMBERS: Readonly<Record<string, FactValue>> = {
  'engine.utilization': 0.9,
  'engine.max-model-len': 131_072,
  'engine.max-num-seqs': 256,
  'engine.max-batched-tokens': 16_384,
  'advice.max-model-len': 65_536,
  'advice.utilization-raise': 0.93,
  'advice.utilization-needed': 0.93,
  'advice.utilization-highest': 0.95,
  'advice.utilization-wanted': 0.85,
  'advice.utilization-lower': 0.85,
  'advice.utilization-beside': 0.85,
  'advice.max-model-len-lowered': 32_768,
  'advice.utilization-fit': 0.85,
  'advice.max-num-seqs': 128,
  'advice.max-batched-tokens': 8192,
  'advice.max-input-tokens': 8192,
  'ram.limit': 64 * 2 ** 30,
};

const FINDINGS = COMPILED.kind === 'bad' ? [] : COMPILED.playbook.findings;

const ALL_OFFERS = FINDINGS.flatMap((finding) =>
  finding.offers.flatMap((offer) =>
    ENGINES.flatMap((engine) =>
      engine.versions.map((version) => {
        const facts = { ...NUMBERS, 'engine.name': tableName(engine), 'engine.version': version };
        const known = (id: string): FactValue | undefined => facts[id as keyof typeof facts];
        return { finding, offer, engine, version, edits: offer.action.edits(offer.parameters, known) };
      }),
    ),
  ),
);

const wordsOf = (template: Template): string => fill(template, new Map());

describe('every offer of every finding, with all its numbers known', () => {
  it('names no flag that the engine lacks', () => {
    const edits = ALL_OFFERS.flatMap(({ finding, engine, version, edits: all }) =>
      all.map(({ flag }) => ({ flag, engine: tableName(engine), version, of: finding.id })),
    ).filter(({ flag }) => flag !== 'resources.limits.memory');

    expect(edits.filter(({ flag, engine, version }) => flagOf(engine, version, flag).kind !== 'exists')).toEqual([]);
  });

  it('goes where it says that it goes', () => {
    expect(ALL_OFFERS.flatMap(({ edits, offer }) => checkDirection(edits, offer.direction))).toEqual([]);
  });

  it('lowers no fraction where KV room was refused or it was itself the bound, and raises none anywhere else', () => {
    const wrong = ALL_OFFERS.filter(({ finding, offer, engine, edits }) => {
      // Where the fraction itself was met, with room beside it on the card, less of it is wrong as well.
      const isRefusal = finding.id.startsWith('gpu-startup-kv') || finding.id.startsWith('gpu-burst-bound');
      const remedy = { ...offer, action: offer.action.id, says: wordsOf(offer.says), edits: [...edits] };
      const way = moves(remedy, tableName(engine), 'fraction');
      return way === (isRefusal ? 'down' : 'up');
    });

    expect(wrong.map(({ finding, offer }) => `${finding.id}: ${wordsOf(offer.says)}`)).toEqual([]);
  });
});
