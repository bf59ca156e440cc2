import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { applyProfile, type Profiled } from '../../../../src/app/acting/plan/apply-profile.ts';
import { checkChosen } from '../../../../src/app/acting/plan/check-plan.ts';
import { chooseEdits } from '../../../../src/app/acting/plan/choose-edits.ts';
import type { PlanRequest } from '../../../../src/app/acting/plan/plan-request.ts';
import type { EngineEvidence } from '../../../../src/app/budget/budget.ts';
import { readEngineEvidence } from '../../../../src/app/triage/diagnose.ts';
import { readFolder } from '../../../../src/folder/read-folder.ts';
import type { Remedy, Verdict } from '../../../../src/model/verdict.ts';
import { BOOK } from '../../../budget/fits.ts';
import { exampleDiagnosis } from '../../../model/examples.ts';
import { COMPILED_SIGNATURES, PLAYBOOKS } from '../../../playbooks/shipped.ts';

let engine: EngineEvidence;
beforeAll(async () => {
  engine = await readEngineEvidence(
    await readFolder(join(PLAYBOOKS, 'oom/incidents/startup-kv-room')),
    COMPILED_SIGNATURES,
    BOOK,
  );
});

const remedy = (over: Partial<Remedy>): Remedy => ({
  action: 'set-args',
  says: 'x',
  edits: [],
  direction: 'none',
  kind: 'stop-bleed',
  ...over,
});
const SHORTER = remedy({
  direction: 'lower',
  edits: [{ flag: '--max-model-len', from: '65536', to: '12800', why: 'estimated', facts: [] }],
});
const MORE_ROOM = remedy({ action: 'advise', direction: 'raise' });
const LESS = remedy({ action: 'advise', direction: 'lower' });

type Given = { verdict?: Partial<Verdict>; request?: Partial<PlanRequest>; without?: boolean };

function profiled({ verdict: over = {}, request: asked = {}, without = false }: Given): Profiled {
  const verdict: Verdict = {
    ...exampleDiagnosis.verdict,
    plane: 'gpu',
    phase: 'startup',
    remedies: [SHORTER, MORE_ROOM],
    ...over,
  };
  const request = { incidentId: 'inc_1', action: undefined, values: [], replicas: undefined, toZero: false, ...asked };
  const chosen = chooseEdits({ ...exampleDiagnosis, verdict }, request);
  if (chosen === undefined) throw new Error('nothing is offered');
  return applyProfile(chosen, { verdict, request, engine: without ? undefined : engine, book: BOOK });
}

function valuesOf(answer: Profiled): Readonly<Record<string, string | null>> {
  if (answer.kind === 'refused') throw new Error(answer.says);
  return Object.fromEntries(answer.chosen.edits.map(({ flag, to }) => [flag, to]));
}

describe('the profile of a plan', () => {
  const CONSERVATIVE = { profile: 'conservative', action: 'set-args' } as const;
  const OWN = remedy({ profile: 'conservative' });
  const FAST = { remedies: [remedy({ profile: 'performance' })] };
  it.each<[string, Given, string | null]>([
    ['performance where the signature asks for more', {}, 'performance'],
    ['conservative where a start needs less', { verdict: { remedies: [SHORTER, LESS] } }, 'conservative'],
    ['emergency where it failed while serving', { verdict: { phase: 'burst', remedies: [SHORTER] } }, 'emergency'],
    ['none for what is no memory of a GPU', { verdict: { plane: 'host', remedies: [SHORTER] } }, null],
    ['the one that was named', { request: CONSERVATIVE }, 'conservative'],
    ['the one that the remedy names', { verdict: { remedies: [OWN, MORE_ROOM] } }, 'conservative'],
    ['the one that was asked for, whatever the remedy names', { verdict: FAST, request: CONSERVATIVE }, 'conservative'],
    ['none where the engine is unknown', { without: true }, null],
  ])('is %s', (_, given, name) => {
    const found = profiled(given);

    // An emergency leaves the length alone, so a plan of a length alone has nothing of it.
    if (name === 'emergency')
      expect(found).toMatchObject({
        kind: 'chosen',
        chosen: { bounds: expect.arrayContaining([expect.objectContaining({ flag: '--max-num-seqs' })]) },
      });
    else expect(found).toMatchObject({ kind: 'chosen', profile: name });
  });

  it('only bounds what the finding computed itself', () => {
    expect(valuesOf(profiled({}))).toEqual({ '--max-model-len': '12800' });
  });

  it('sets all of its values where it was named, but for the one that the finding knows better', () => {
    const values = valuesOf(profiled({ request: { profile: 'conservative' } }));

    expect(values).toMatchObject({ '--max-model-len': '12800', '--max-num-seqs': '32' });
  });

  it('sets its own value where that of the finding does not start beside the others', () => {
    const tooLong = { ...SHORTER, edits: SHORTER.edits.map((edit) => ({ ...edit, to: '20000' })) };

    expect(
      valuesOf(profiled({ verdict: { remedies: [tooLong, MORE_ROOM] }, request: { profile: 'conservative' } })),
    ).toMatchObject({ '--max-model-len': '4096' });
  });

  it('sets its own values where the finding offers an action without any', () => {
    const values = valuesOf(profiled({ verdict: { remedies: [remedy({ action: 'stop-bleed' }), MORE_ROOM] } }));

    expect(values['--max-model-len']).toMatch(/^\d+$/);
    expect(Number(values['--max-model-len'])).toBeLessThan(65_536);
  });

  it('adds nothing to what somebody has edited', () => {
    const values = [{ flag: '--max-model-len', to: '12000' }];

    expect(
      valuesOf(profiled({ request: { action: 'set-args', profile: 'conservative', values, isEdit: true } })),
    ).toEqual({ '--max-model-len': '12000' });
  });

  it('never lowers the fraction for want of KV room', () => {
    for (const profile of ['conservative', 'performance', 'emergency'] as const) {
      const to = valuesOf(profiled({ request: { profile } }))['--gpu-memory-utilization'];

      expect(to === undefined || Number(to) >= 0.9).toBe(true);
    }
  });

  it.each([
    ['bounds every value of it', '--max-num-seqs', '8', undefined],
    ['refuses a count above what it asks and what is in force', '--max-num-seqs', '100000', /is not between/],
    ['refuses a count below a quarter', '--max-num-seqs', '1', /is not between/],
  ])('%s', (_, flag, to, says) => {
    const found = profiled({ request: { action: 'set-args', profile: 'conservative', values: [{ flag, to }] } });
    const fault = found.kind === 'chosen' ? checkChosen(found.chosen) : found.says;

    if (says === undefined) expect(fault).toBeUndefined();
    else expect(fault).toMatch(says);
  });

  const offered = (to: string) =>
    remedy({ direction: 'lower', edits: [{ flag: '--max-model-len', from: '65536', to, why: 'x', facts: [] }] });
  it.each<[string, Given]>([
    ['what a finding offers by itself', { verdict: { remedies: [offered('65000'), MORE_ROOM] } }],
    ['values', { request: { action: 'set-args', values: [{ flag: '--max-model-len', to: '65000' }] } }],
  ])('refuses %s with which the engine would not start, with the sum', (_, given) => {
    const says = expect.stringMatching(/would not start.*65,000 tokens takes .* GiB/);

    expect(profiled(given)).toMatchObject({ kind: 'refused', says });
  });

  it.each([
    [
      'an action without arguments',
      { action: 'scale-to-zero', profile: 'emergency' },
      {},
      /`--profile` does not apply/,
    ],
    ['an engine that is not known', { profile: 'emergency' }, { without: true }, /the engine is unknown/],
  ] as const)('refuses a named one for %s', (_, request, over, says) => {
    expect(profiled({ request, ...over })).toMatchObject({ kind: 'refused', says: expect.stringMatching(says) });
  });
});
