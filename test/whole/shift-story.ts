import { expect } from 'vitest';
import { validateMessage } from '../../src/slack/limits/message-limits.ts';
import { type StoredMessage, textsOf } from '../../src/standins/slack/state.ts';
import {
  args,
  click,
  ended,
  messages,
  pass,
  planned,
  quiet,
  type Scene,
  type SceneOptions,
  told,
} from './acting-scene.ts';

const HOUR = 3_600_000;
const SHIFTS = `handover: { shifts: [{ channel: C_LLM, at: ["08:00"], timeZone: UTC }] }\nincidents: { quietHours: 0 }`;

type Button = { readonly action_id: string; readonly text: { readonly text: string } };

export function buttons(message: StoredMessage): readonly Button[] {
  return message.blocks.flatMap((block) => (block.type === 'actions' ? ((block.elements ?? []) as Button[]) : []));
}

export async function press(scene: Scene, label: string, user: string, on: StoredMessage): Promise<void> {
  const button = buttons(on).find(({ text }) => text.text === label);
  await scene.people().click({ actionId: button?.action_id ?? `no button ${label}`, on, user });
}

export const replies = ({ stage }: Scene, words: string) =>
  messages(stage).filter((one) => textsOf(one).includes(words));

/** Hours go by, and whatever is due then is done. */
export async function jump({ stage, leap, move }: Scene, hours: number): Promise<void> {
  await quiet(stage);
  await move(hours * HOUR);
  leap(hours * HOUR);
  await quiet(stage);
}

/** What is done at its time, once the bot looks at the clock again. */
async function inTime<T>(scene: Scene, what: string, look: () => T | undefined | false): Promise<T> {
  for (let i = 0; i < 40; i += 1) {
    const seen = look();
    if (seen !== undefined && seen !== false) return seen;
    await jump(scene, 1 / 60);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`never: ${what}\n${messages(scene.stage).map(textsOf).join('\n---\n')}`);
}

type Deployment = { metadata: { managedFields?: object[] } };

/** Helm deploys the value that stands there, by a server-side apply. */
export function takeOver({ stage }: Scene): void {
  const deployment = stage.api.world.objects.find(({ kind }) => kind === 'Deployment') as unknown as Deployment;
  const fields = { 'f:template': { 'f:spec': { 'f:containers': { 'k:{"name":"vllm"}': { 'f:args': {} } } } } };
  const time = new Date(Date.now()).toISOString();
  const entry = { manager: 'helm', operation: 'Apply', time, fieldsV1: { 'f:spec': fields } };
  deployment.metadata.managedFields = [...(deployment.metadata.managedFields ?? []), entry];
}

/**
 * Three days of one incident, from 03:00 UTC: triage, approval, run, its handover, the handover at each change of the
 * shift, a silence, the reminder, an extension, a value that Helm takes over, and the end.
 */
export async function threeDays(options: SceneOptions = {}): Promise<void> {
  const scene = await planned(undefined, undefined, { ...options, more: SHIFTS });
  const { card, stage } = scene;
  const shifts = () => replies(scene, 'Shift handover:');
  const type = (text: string, user = 'U_ONCALL') => scene.people().command({ text, channel: 'C_LLM', user });

  await click(scene, 'approve', 'U_APPROVER', card);
  await pass(scene, 'the end of the run', () => ended.test(card.text));
  const atEnd = await pass(scene, 'the handover of the run', () => replies(scene, 'Handover: llm/vllm-server')[0]);
  const incident = /inc_\w+/.exec(textsOf(atEnd))?.[0] ?? '';
  expect(atEnd.threadTs).toBe(card.threadTs);
  expect(textsOf(atEnd).replace(/\s+/g, ' ')).toMatch(/2 Settings: max-model-len 131072 → 24736/);

  // The next shift begins.
  await jump(scene, 5);
  const first = await inTime(scene, 'the first shift handover', () => shifts()[0]);
  expect(first.threadTs).toBeUndefined();
  expect(textsOf(first)).toContain('1 open, 1 temporary change');
  await scene.restart();
  await type(`handover ${incident}`);
  const typed = await stage.slack.until('a typed handover', () =>
    replies(scene, 'Handover: llm/vllm-server').find(({ threadTs }) => threadTs === undefined),
  );
  await stage.slack.until('its timeline', () =>
    replies(scene, `Timeline of ${incident}`).find(({ threadTs }) => threadTs === typed.ts),
  );
  expect(textsOf(typed)).toContain('Mitigated');
  await type('silence llm/embedder 4h load test');
  await stage.slack.until('the silence', () => told(scene, 'U_ONCALL').includes('Silenced: llm/embedder (prod)'));
  await type('handover');
  await stage.slack.until('the silence in a handover', () =>
    shifts().find((one) => textsOf(one).includes('load test')),
  );

  // The night after.
  await jump(scene, 18.2);
  const reminder = await inTime(scene, 'the reminder', () => replies(scene, 'change expires soon')[0]);
  await press(scene, 'Extend 24 h', 'U_APPROVER', reminder);
  await stage.slack.until('the extension', () => replies(scene, 'Extended')[0]);
  await jump(scene, 6);
  const second = await inTime(scene, 'the second shift handover', () =>
    shifts().find(
      (one) => /^Shift handover: \d+ open/.test(one.text) && one !== first && !textsOf(one).includes('load test'),
    ),
  );
  expect(textsOf(second)).toContain('1 temporary change');

  takeOver(scene);
  await jump(scene, 1);
  await inTime(scene, 'that it is permanent', () => replies(scene, 'Permanent, set by helm')[0]);
  await type(`resolve ${incident} the length is in Git now`);
  await stage.slack.until('the end', () => replies(scene, 'Was the finding right?')[0]);
  const before = shifts().length;
  await jump(scene, 20);
  await jump(scene, 3);
  const third = await inTime(scene, 'the third shift handover', () => shifts()[before]);

  expect(textsOf(third)).toContain('nothing open, no temporary changes');
  expect(args(scene)).toContain('"24736"');
  expectSound(scene);
}

/** Every message is one that Slack takes, reads as plain text, and stands there once. */
function expectSound({ stage }: Scene): void {
  const all = messages(stage);
  for (const { text, blocks } of all) expect(validateMessage({ text, blocks } as never)).toEqual([]);
  for (const { text } of all) expect(text).toMatch(/\w.*\w/);
  const keys = all.map((one) => `${one.threadTs} ${textsOf(one)}`);
  expect(keys.filter((key, i) => keys.indexOf(key) !== i)).toEqual([]);
  expect(keys.filter((key) => key.includes('it may be here twice'))).toEqual([]);
}
