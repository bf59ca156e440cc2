import type { ShownMessage } from '../src/playground/page/shown-message.ts';
import type { ApiWorld } from '../src/standins/api-server/objects/world.ts';
import {
  bothAcrossRestartWorld,
  cudaOomWorld,
  deadEngineWorld,
  healthyWorld,
  kvRoomWorld,
  oomKilledWorld,
  SCENARIO_POD,
} from '../src/standins/scenarios/scenarios.ts';
import type { StoredMessage } from '../src/standins/slack/state.ts';
import { type Stage, setStage, startOn } from '../test/whole/stage.ts';
import { confirmSample, expirySamples, formSamples } from './dialog-samples.ts';
import { clock, leap } from './moved-time.ts';
import { buttonOf, copyOf, NAMES, type Sample, sample } from './sample.ts';
import { verifiedRun } from './verified-run.ts';

const FINDINGS: Readonly<Record<string, (now: number) => ApiWorld>> = {
  'limit-cut': oomKilledWorld,
  'cuda-oom': cudaOomWorld,
  'both-in-sequence': (now) => bothAcrossRestartWorld('gpu', now),
  'dead-engine': deadEngineWorld,
  healthy: healthyWorld,
};

// The last ones come after the five minutes for which a run watches whether anything reverts it.
const EXPIRY_SAMPLES = ['change-expires', 'change-confirm', 'change-expired', 'resolved'];
const LATE_SAMPLES = ['handover', 'shift', 'done', 'done-confirm', 'rolled-back', ...EXPIRY_SAMPLES];
const DIALOG_SAMPLES = [
  'edit-form',
  'resolve-form',
  'wrong-form',
  'wrong-causes',
  'finding-menu',
  'plan-confirm',
  'run-confirm',
];
const ACTING_SAMPLES = ['plan', 'run', 'status', 'home', ...DIALOG_SAMPLES, ...LATE_SAMPLES];

const ACTING = [
  'act:',
  '  - { users: [U_ONCALL], verbs: [plan, abort, pause], scope: { namespaces: [llm] } }',
  '  - { groups: [S_APPROVERS], verbs: [approve, rollback, abort, resume], scope: { namespaces: [llm] } }',
  'acting: { verifyMinutes: 0.2, readyMinutes: 5 }',
].join('\n');
const TRIAGE = `triage ${SCENARIO_POD.namespace}/${SCENARIO_POD.pod}`;

/** Messages as the stand-in Slack got them from the bot: a finding of each scenario, then a plan, its run, status, Home and help. */
export async function messageSamples(isWanted: (name: string) => boolean): Promise<readonly Sample[]> {
  const samples: Sample[] = [];
  for (const [name, world] of Object.entries(FINDINGS)) {
    if (isWanted(name) || isWanted(`${name}-thread`)) samples.push(...(await findingOf(name, world(Date.now()))));
  }
  if (ACTING_SAMPLES.some(isWanted)) samples.push(...(await actingSamples(LATE_SAMPLES.some(isWanted))));
  if (isWanted('verified')) samples.push(await verifiedRun());
  return samples.filter(({ name }) => isWanted(name));
}

async function findingOf(name: string, world: ApiWorld): Promise<readonly Sample[]> {
  return onStage(world, async (stage, { people }) => {
    await people.command({ text: TRIAGE, channel: 'C_LLM' });
    await finished(stage);
    const [card, ...thread] = stage.slack.state.messages;
    return card === undefined ? [] : [sample(name, [card]), sample(`${name}-thread`, thread)];
  });
}

async function actingSamples(late: boolean): Promise<readonly Sample[]> {
  return onStage(kvRoomWorld(Date.now()), async (stage, { people }) => {
    const click = async (asks: string, user: string) => {
      const on = await stage.slack.until(asks, () => withButton(stage, asks));
      await people.click({ actionId: buttonOf(on, asks) ?? '', on, user });
      return on;
    };
    await people.command({ text: TRIAGE, channel: 'C_LLM' });
    await finished(stage);
    await click('plan', 'U_ONCALL');
    const plan = copyOf(await stage.slack.until('the plan', () => withButton(stage, 'approve')));
    const forms = await formSamples(stage, people, plan);
    await people.openHome('U_ONCALL');
    await people.command({ text: 'status', channel: 'C_LLM' });
    await people.command({ text: 'help', channel: 'C_LLM' });
    await stage.slack.until('status and help', () => stage.slack.state.ephemerals.length > 1);
    const told = stage.slack.state.ephemerals.map((one, at) => ({ ...one, id: `told-${at}`, onlyFor: 'you' }));
    await click('approve', 'U_APPROVER');
    const run = copyOf(await stage.slack.until('the run', () => withButton(stage, 'abort')));
    const handovers = late ? await handoversOf(stage, people) : [];
    return [
      sample('plan', [plan]),
      confirmSample('plan-confirm', plan, 'Approve…'),
      ...forms,
      sample('run', [run]),
      confirmSample('run-confirm', run, 'Abort and roll back…'),
      ...handovers,
      { name: 'status', messages: told, names: NAMES },
      ...[...stage.slack.state.homes.values()].map((home) => ({
        name: 'home',
        messages: [{ id: 'home', text: '', blocks: home.blocks as ShownMessage['blocks'] }],
        names: NAMES,
      })),
    ];
  });
}

// The run first watches for five minutes whether anything reverts it; its handover then shows what it has set.
async function handoversOf(stage: Stage, people: Started['people']): Promise<readonly Sample[]> {
  const handedOver = () => stage.slack.state.messages.find(({ text }) => text.startsWith('Handover: '));
  // The cluster stands still unless its time is moved, and the bot's moves with it.
  const life = setInterval(() => passTime(stage), 100);
  const after = await stage.slack
    .until('the handover of the run', handedOver, 600_000)
    .finally(() => clearInterval(life));
  await people.command({ text: 'silence llm/embedder 4h load test', channel: 'C_LLM', user: 'U_ONCALL' });
  await stage.slack.until('the silence', () => stage.slack.state.ephemerals.find(({ text }) => /^Silenced/.test(text)));
  await people.command({ text: 'handover', channel: 'C_LLM', user: 'U_ONCALL' });
  const shift = await stage.slack.until('the shift', () =>
    stage.slack.state.messages.find(({ text }) => text.startsWith('Shift handover')),
  );
  // Its handover bears the button too, and comes after it.
  const run = stage.slack.state.messages.find((one) => buttonOf(one, 'roll-back') !== undefined);
  if (run === undefined) throw new Error('the run cannot be rolled back');
  const done = copyOf(run);
  const expiry = await expirySamples(stage);
  await people.click({ actionId: buttonOf(run, 'roll-back') ?? '', on: run, user: 'U_APPROVER' });
  const moving = setInterval(() => passTime(stage), 100);
  const isBack = () => stage.slack.state.messages.find(({ text }) => text.startsWith('Rolled back'));
  const back = await stage.slack.until('the rollback', isBack, 600_000).finally(() => clearInterval(moving));
  return [
    sample('handover', [copyOf(after)]),
    sample('shift', [copyOf(shift)]),
    sample('done', [done]),
    confirmSample('done-confirm', done, 'Roll back…'),
    ...expiry,
    sample('rolled-back', [copyOf(back)]),
  ];
}

const STEP_MS = 2000;

function passTime(stage: Stage): void {
  stage.api.cluster.advance(STEP_MS);
  leap(STEP_MS);
}

type Started = Awaited<ReturnType<typeof startOn>>;

async function onStage<T>(world: ApiWorld, play: (stage: Stage, started: Started) => Promise<T>): Promise<T> {
  const stage = await setStage(world, ACTING, '    acting: {}');
  const started = await startOn(stage, 'http', clock);
  try {
    return await play(stage, started);
  } finally {
    await started.service.stop();
    await stage.close();
  }
}

// A healthy pod has no files in its thread.
async function finished(stage: Stage): Promise<void> {
  await stage.slack.until('the finding', () =>
    stage.slack.state.messages.some(({ blocks }) => /Confidence/.test(JSON.stringify(blocks))),
  );
  await stage.slack.until('the files', () => stage.slack.state.files.size > 1, 3000).catch(() => undefined);
}

const withButton = ({ slack }: Stage, asks: string): StoredMessage | undefined =>
  slack.state.messages.findLast((one) => buttonOf(one, asks) !== undefined);
