import { afterEach, describe, expect, it } from 'vitest';
import type { EditedValue, EditForm } from '../../src/app/acting/plan/edit-form.ts';
import { validateView } from '../../src/slack/limits/message-limits.ts';
import { drawEditModal, readSubmission } from '../../src/slack/listeners/edit-modal.ts';
import { startApp } from './app-harness.ts';

type App = Awaited<ReturnType<typeof startApp>>;
const open: App[] = [];
afterEach(async () => {
  for (const app of open.splice(0)) await app.close();
});

const FORM: EditForm = {
  planId: 'plan_1',
  name: 'prod/llm/Deployment/vllm-server',
  fields: [
    { flag: '--max-model-len', from: '131072', to: '30000', why: 'what fits', min: 7500, max: 131_072 },
    { flag: '--kv-cache-dtype', from: null, to: null, why: '', min: null, max: null },
  ],
};
const CARD = { type: 'actions', elements: [{ type: 'button', action_id: 'oom:edit:1', value: 'plan_1 c0ffee' }] };

async function startEditing(mode: 'http' | 'socket' = 'http', form: EditForm | 'none' = FORM) {
  const edited: { planId: string; values: readonly EditedValue[]; who: string; where: string }[] = [];
  const app = await startApp(mode, {
    editForm: async () => (form === 'none' ? undefined : form),
    edited: async ({ planId, values }, { asker }) =>
      void edited.push({ planId, values, who: asker.user, where: asker.conversation }),
  });
  open.push(app);
  const click = () =>
    app.people.click({ actionId: 'oom:edit:1', on: { channel: 'C_ONCALL', ts: '1.1', blocks: [CARD] } });
  const opened = () => app.standin.until('the form', () => app.standin.state.views.at(-1));
  return { ...app, edited, click, opened };
}

describe.each(['http', 'socket'] as const)('editing a plan over %s', (mode) => {
  it('opens a form with the values, and hands on what was sent', async () => {
    const t = await startEditing(mode);
    await t.click();
    const view = await t.opened();

    const ack = await t.people.submit({ view, values: { 'oom:edit:0': ' 20000 ' } });
    await t.standin.until('the plan', () => t.edited.length === 1);

    expect(JSON.stringify(view)).toMatch(/"initial_value":"30000"/);
    const bounds = { type: 'number_input', is_decimal_allowed: false, min_value: '7500', max_value: '131072' };
    expect(view.blocks).toMatchObject([
      { type: 'section' },
      { element: bounds },
      { element: { type: 'plain_text_input' } },
    ]);
    expect(JSON.stringify(view)).toContain('Now 131072. Between 7500 and 131072.');
    expect(ack.status).toBe(200);
    const values = [
      { flag: '--max-model-len', to: '20000' },
      { flag: '--kv-cache-dtype', to: null },
    ];
    expect(t.edited).toEqual([{ planId: 'plan_1', who: 'U_ONCALL', where: 'C_ONCALL', values }]);
  });

  it('answers a value outside its bounds in the form, and plans nothing', async () => {
    const t = await startEditing(mode);
    await t.click();
    const view = await t.opened();

    const ack = await t.people.submit({ view, values: { 'oom:edit:0': '200000' } });

    const errors = { 'oom:edit:0': '200000 is not between 7500 and 131072' };
    expect(ack.body).toEqual({ response_action: 'errors', errors });
    expect(t.edited).toEqual([]);
  });
});

it('tells the asker where Slack does not open the form', async () => {
  const t = await startEditing();
  t.standin.faults.next('views.open', { kind: 'error', error: 'expired_trigger_id' });

  await t.click();
  const told = await t.standin.until('an answer', () => t.standin.state.ephemerals.at(-1));

  expect(told.text).toMatch(/Could not open the form. The plan is unchanged/);
});

it('opens nothing where the plan may not be edited', async () => {
  const t = await startEditing('http', 'none');

  await t.click();
  await t.click();

  expect(t.standin.state.calls.filter(({ method }) => method === 'views.open')).toEqual([]);
});

/** What is wrong with a value of the first field, as it is sent. */
function faultOf(form: EditForm, value: string): string | undefined {
  const state = { values: { 'oom:edit:0': { value: { value } } } };
  return readSubmission({ ...drawEditModal(form, 'C_LLM'), state }).errors['oom:edit:0'];
}

describe('the form', () => {
  const many = (count: number): EditForm => ({
    ...FORM,
    name: 'x'.repeat(400),
    fields: Array.from({ length: count }, (_, i) => ({
      flag: `--${'long-'.repeat(4)}flag-${i}`,
      from: 'y'.repeat(900),
      to: 'z'.repeat(2000),
      why: 'w'.repeat(900),
      min: 0.123,
      max: 131_072,
    })),
  });

  it.each([0, 1, 20, 60])('with %i fields is one that Slack takes', (count) => {
    expect(validateView(drawEditModal(many(count), 'C_LLM'))).toEqual([]);
  });

  it.each([
    ['--model', 'other', /cannot be changed by a button/],
    ['HF_TOKEN', 'x', /not a variable that a button may set/],
    ['--max-num-seqs', '-4', /takes a whole number from 1 on, and not -4/],
    ['--max-model-len', '8192.5', /takes a whole number from 1 on.*, and not 8192\.5/],
  ])('takes no %s', (flag, value, words) => {
    const form = { ...FORM, fields: [{ flag, from: null, to: null, why: '', min: null, max: null }] };

    expect(faultOf(form, value)).toMatch(words);
  });

  it('refuses what is no form of ours', () => {
    expect(() => readSubmission({ private_metadata: '{}', state: { values: {} } })).toThrow();
  });
});

describe('the field of a memory limit', () => {
  const GIB = 2 ** 30;
  const LIMIT = 'resources.limits.memory';
  const field = { flag: LIMIT, from: '64Gi', to: '96Gi', why: 'was reached', min: 64 * GIB, max: 512 * GIB };
  const form = { planId: 'plan_1', name: 'prod/llm/vllm', fields: [field] };

  it('says its bounds as sizes, and not that it may be empty', () => {
    expect(JSON.stringify(drawEditModal(form, 'C_ONCALL'))).toContain(
      'Now 64Gi. Between 64 GiB and 512 GiB. Proposed: was reached. For example 96Gi.',
    );
  });

  it.each([
    ['128Gi', undefined],
    ['600Gi', '600Gi is not between 64 GiB and 512 GiB'],
    ['32Gi', '32Gi is not between 64 GiB and 512 GiB'],
    ['lots', 'lots is not a size such as 96Gi'],
    ['', 'has to stay between 64 GiB and 512 GiB, so it cannot be removed'],
  ])('sent with %j is answered in the form with %j', (value, says) => {
    expect(faultOf(form, value)).toBe(says);
  });
});
