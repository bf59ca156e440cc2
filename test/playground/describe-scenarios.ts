import { describe, expect, it } from 'vitest';
import type { Scenario } from '../../src/playground/scenarios/scenario.ts';
import { runOom } from '../fakes/terminal.ts';
import { useMovedTime, written } from '../whole/acting-scene.ts';
import { deathsOf, heard, type Play, playOn, playSteps, wait } from './scenario-play.ts';

/** Each scenario from its history to its ending, through the stand-ins and the real bot. */
export function describeScenarios(scenarios: readonly Scenario[]): void {
  useMovedTime();
  describe.each(scenarios.map((scenario) => [scenario.name, scenario] as const))('%s', (_name, scenario) => {
    it('gets its cause, and what is done about it ends as told', async () => {
      const play = await playOn(scenario);

      expect(await causeOf(play)).toBe(scenario.expect.cause);
      await playSteps(play, scenario.steps);

      expectEnding(play, scenario);
    });
  });
}

async function causeOf({ open, stage }: Play): Promise<string> {
  const pods = open.state().services[0]?.pods ?? [];
  const worst = pods.toSorted((a, b) => b.restarts - a.restarts)[0];
  const { out, err } = await runOom(['--config', stage.file, 'triage', `llm/${worst?.name}`, '--json', '--no-store']);
  return out === '' ? err : JSON.parse(out).cause;
}

function expectEnding(play: Play, { expect: { ending }, services }: Scenario): void {
  const changes = written(play.stage);
  if (ending === 'none') {
    expect(changes).toEqual([]);
    return;
  }
  expect(changes.length).toBeGreaterThan(0);
  if (ending === 'rolled-back') {
    expect(play.open.state().services[0]?.args).toEqual(services[0]?.args);
    expect(heard(play)).toMatch(/rolled back/i);
    return;
  }
  if (ending === 'reverted') return;
  const ready = play.open.state().services[0]?.replicas;
  expect(ready?.ready).toBe(ready?.wanted);
  if (ending === 'applied') return;
  // The same traffic goes on.
  const before = deathsOf(play);
  wait(play, 10);
  expect(deathsOf(play)).toBe(before);
}
