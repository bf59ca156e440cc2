import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { PlanInput } from '../../../src/actions/plan/plan-action.ts';
import { diagnoseSource } from '../../../src/app/triage/diagnose.ts';
import type { Fact } from '../../../src/model/fact.ts';
import type { Edit, Remedy } from '../../../src/model/verdict.ts';
import * as given from '../../actions/objects.ts';
import { planOf } from '../../actions/plan/harness.ts';
import { aSnapshot, COMPILED_SIGNATURES, judge, PLAYBOOKS } from '../../playbooks/shipped.ts';

const HELD = join(PLAYBOOKS, 'oom/incidents/prefix-cache-held');
const files = Object.fromEntries(readdirSync(HELD).map((name) => [name, readFileSync(join(HELD, name), 'utf8')]));

type Engine = PlanInput['engine'];

/** What the shipped playbook offers for a pool that stays full with nobody there, in an engine. */
async function offeredIn({ name, version }: Engine): Promise<Remedy> {
  const { facts } = await diagnoseSource(aSnapshot(files), { signatures: COMPILED_SIGNATURES, judge });
  const known = (value: string): Fact => ({ kind: 'known', value, from: [] });
  const here = new Map(facts).set('engine.name', known(name));
  if (version === null) here.delete('engine.version');
  else here.set('engine.version', known(version));
  const { verdict } = judge(here, 'id');
  expect(verdict.finding).toBe('gpu-prefix-cache');
  const [remedy] = verdict.remedies;
  if (remedy === undefined) throw new Error('nothing is offered');
  return remedy;
}

const shown = (edits: readonly Edit[]) => edits.map(({ flag, to }) => `${flag}=${to}`);

describe('the button of a prefix cache that holds the pool', () => {
  const VLLM = { name: 'vllm', version: '0.11.0' };
  const SGLANG = 'python3 -m sglang.launch_server --model-path m';
  const RADIX_OFF = /^\+ +- --disable-radix-cache$/m;
  const MADE_NO = /^- +- --enable-prefix-caching\n\+ +- --no-enable-prefix-caching$/m;
  it.each<[Engine, string, string, RegExp]>([
    [VLLM, '--enable-prefix-caching=false', 'vllm serve m', /^\+ +- --no-enable-prefix-caching$/m],
    [VLLM, '--enable-prefix-caching=false', 'vllm serve m --enable-prefix-caching', MADE_NO],
    [{ name: 'sglang', version: '0.5.5' }, '--disable-radix-cache=true', SGLANG, RADIX_OFF],
    [{ name: 'sglang', version: null }, '--disable-radix-cache=true', SGLANG, RADIX_OFF],
    [
      { name: 'tgi', version: '3.3.4' },
      'PREFIX_CACHING=0',
      'text-generation-launcher --model-id m',
      /^\+ +- name: PREFIX_CACHING$/m,
    ],
  ])('in %j sets %s for %s', async (engine, edit, words, written) => {
    const { action, edits } = await offeredIn(engine);

    expect([action, ...shown(edits)]).toEqual(['set-args', edit]);
    const [program = '', ...args] = words.split(' ');
    const object = given.aDeployment({ ready: 0, container: { command: [program], args } });
    expect(planOf({ action, edits, engine, object }).diff).toMatch(written);
  });

  it('in LMDeploy, where it is on because a flag stands there, takes that flag away', async () => {
    const { action, edits } = await offeredIn({ name: 'lmdeploy', version: '0.10.2' });
    const args = ['serve', 'api_server', 'm', '--enable-prefix-caching', '--tp', '2'];
    const object = given.aDeployment({ ready: 0, container: { command: ['lmdeploy'], args } });

    expect([action, ...shown(edits)]).toEqual(['set-args', '--enable-prefix-caching=false']);
    const { diff } = planOf({ action, edits, engine: { name: 'lmdeploy', version: '0.10.2' }, object });
    expect(diff).toMatch(/^- +- --enable-prefix-caching$/m);
    expect(diff).not.toMatch(/^\+ +- --/m);
  });

  it.each<Engine>([
    { name: 'vllm', version: null },
    { name: 'llama.cpp', version: '4277' },
  ])('is advice in %j, whose flag is not known', async (engine) => {
    expect(await offeredIn(engine)).toMatchObject({ action: 'advise', edits: [] });
  });
});
