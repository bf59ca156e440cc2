import { findScenario, openScenario } from '../src/playground/scenarios/open-scenario.ts';
import { setScenarioStage, startOn } from '../test/whole/stage.ts';
import { clock, leap } from './moved-time.ts';
import { buttonOf, copyOf, type Sample, sample } from './sample.ts';

/** A run whose checks all have data: in a scenario of the playground, whose engine and Prometheus go on living. */
export async function verifiedRun(): Promise<Sample> {
  const open = await openScenario('vllm-kv-room', { clock, speed: 1 });
  const stage = await setScenarioStage(open);
  const { service, people } = await startOn(stage, 'http', clock);
  const living = setInterval(() => {
    leap(2000);
    open.advance(0);
  }, 200);
  const { slack } = stage;
  const find = (what: RegExp) =>
    slack.until(String(what), () => slack.state.messages.find(({ text }) => what.test(text)), 300_000);
  const press = async (asks: string, user: string) => {
    const on = await slack.until(asks, () => slack.state.messages.findLast((one) => buttonOf(one, asks)), 60_000);
    await people.click({ actionId: buttonOf(on, asks) ?? '', on, user });
  };
  try {
    const typed = findScenario('vllm-kv-room').steps.find(({ kind }) => kind === 'type');
    if (typed?.kind !== 'type') throw new Error('nobody triages');
    await people.command({ text: typed.text, channel: 'C_LLM', user: typed.as });
    await press('plan', 'U_ONCALL');
    await press('approve', 'U_APPROVER');
    return sample('verified', [copyOf(await find(/^Done: /))]);
  } finally {
    clearInterval(living);
    await service.stop();
    await stage.close();
    await open.close();
  }
}
