import { vi } from 'vitest';
import { openScenario } from '../../src/playground/scenarios/open-scenario.ts';
import type { Scenario, Step } from '../../src/playground/scenarios/scenario.ts';
import { textsOf } from '../../src/standins/slack/state.ts';
import { beginOn, buttonOf, click, messages, pass, type Scene, told } from '../whole/acting-scene.ts';
import { setScenarioStage } from '../whole/stage.ts';

export type Play = Scene & { readonly open: Awaited<ReturnType<typeof openScenario>> };

/** Opens a scenario with the real bot on it; Date is moved, so call `useMovedTime` first. */
export async function playOn(scenario: Scenario): Promise<Play> {
  let open: Play['open'] | undefined;
  const scene = await beginOn(async (clock) => {
    open = await openScenario(scenario.name, { clock, speed: 1 });
    const { close } = open;
    const stage = await setScenarioStage(open);
    return { ...stage, close: () => Promise.all([stage.close(), close()]).then(() => undefined) };
  });
  if (open === undefined) throw new Error('the stage was not set');
  return { ...scene, open };
}

/** What people do in the channel, one step after the other. */
export async function playSteps(play: Play, steps: readonly Step[]): Promise<void> {
  for (const step of steps) await playStep(play, step);
}

async function playStep(play: Play, step: Step): Promise<unknown> {
  switch (step.kind) {
    case 'type':
      await play.people().command({ text: step.text, channel: 'C_LLM', user: step.as });
      return pass(play, `an answer to ${step.text}`, () => heard(play) !== '');
    case 'click': {
      const on = await pass(play, `a button ${step.button}`, () =>
        messages(play.stage).findLast((one) => buttonOf(one, step.button) !== undefined),
      );
      return click(play, step.button, step.as, on);
    }
    case 'restart-bot':
      return play.restart();
    case 'until':
      return pass(play, String(step.says), () => new RegExp(step.says, 'm').test(heard(play)));
  }
}

/** Everything that the bot has said, in the channel and to single people. */
export function heard(play: Play): string {
  const all = messages(play.stage).map(textsOf);
  return [...all, ...['U_ONCALL', 'U_APPROVER', 'U_STRANGER'].map((user) => told(play, user))].join('\n');
}

/** Deaths of engines so far. */
export function deathsOf({ open }: Play): number {
  return open
    .state()
    .services.flatMap(({ pods }) => pods)
    .reduce((sum, pod) => sum + pod.restarts, 0);
}

/** Lets time pass without anybody doing anything. */
export function wait({ open }: Play, minutes: number): void {
  vi.setSystemTime(Date.now() + minutes * 60_000);
  open.advance(0);
}
