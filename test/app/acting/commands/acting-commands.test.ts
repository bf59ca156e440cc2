import { describe, expect, it } from 'vitest';
import { createActingCommands } from '../../../../src/app/acting/commands/acting-commands.ts';
import { answerTerminal } from '../../../../src/app/acting/commands/answer-terminal.ts';
import { renewWaiting } from '../../../../src/app/acting/run/renew-waiting.ts';
import { drawPlan, drawRun } from '../../../../src/app/acting/run/run-view.ts';
import { tellRefused } from '../../../../src/app/acting/tell-refused.ts';
import { createOutbox } from '../../../../src/app/outbox.ts';
import { readStatus } from '../../../../src/app/status.ts';
import type { Rights } from '../../../../src/model/authorise.ts';
import { OomError } from '../../../../src/model/errors.ts';
import type { Message } from '../../../../src/model/message.ts';
import type { Remedy } from '../../../../src/model/verdict.ts';
import { statusMessage } from '../../../../src/report/status.ts';
import { drawTerminal } from '../../../../src/report/terminal.ts';
import { createFakeIds } from '../../../fakes/ids.ts';
import { storePlace } from '../../../fakes/place-message.ts';
import { AS_TEXT } from '../../../report/inputs.ts';
import { buttonValue, type CommandsBench, ELSEWHERE, openCommands, RIGHTS, THREE } from '../commands-bench.ts';

type Options = Parameters<typeof openCommands>[0];
type ActRule = Rights['act'][number];

/** A bench on which these lines were typed: `U_ONCALL plan INCIDENT`, with BUTTON, PLAN, INCIDENT and RUN as they are then. */
async function typed(options: Options, ...lines: readonly string[]): Promise<CommandsBench> {
  const bench = await openCommands(options);
  await type(bench, ...lines);
  return bench;
}

/** What the next process posts at its start, from the store alone: Slack answers again. */
async function nextProcess({ store, chat, clock, log, deps }: CommandsBench): Promise<void> {
  await deps.outbox.stop();
  chat.isAway = false;
  const outbox = createOutbox({
    ...{ store, chat, clock, log, ids: deps.plans.ids },
    onRefused: (refused, next) => tellRefused({ acts: deps.acts, store, outbox }, refused, next),
    renew: (waited) => renewWaiting(deps.acts, '/oom', waited),
  });
  await outbox.resume();
  await clock.advance(0);
}

async function settled({ store }: CommandsBench): Promise<void> {
  await expect.poll(() => store.unsentMessages()).toEqual([]);
}

async function type(bench: CommandsBench, ...lines: readonly string[]): Promise<void> {
  for (const line of lines) {
    const [, user, verb, rest = ''] = /^(\w+) ([\w-]+) ?(.*)$/s.exec(line) ?? [];
    await bench.ask(verb as Parameters<CommandsBench['ask']>[0], await filled(bench, rest), user);
  }
}

async function filled(bench: CommandsBench, text: string): Promise<string> {
  const { id, hash } = /PLAN|BUTTON/.test(text) ? await bench.plan() : { id: '', hash: '' };
  return text
    .replaceAll('INCIDENT', bench.incident.id)
    .replaceAll('BUTTON', `${id} ${hash}`)
    .replaceAll('PLAN', id)
    .replaceAll('RUN', text.includes('RUN') ? (await bench.run()).id : '');
}

const PLANNED = 'U_ONCALL plan INCIDENT';
const APPROVED = 'U_APPROVER approve BUTTON';
const planned = (options: Options = {}) => typed(options, PLANNED);
const asks = ({ card }: CommandsBench): readonly string[] => card().message.choices?.map((one) => one.asks) ?? [];
const lastAudit = async (bench: CommandsBench) => (await bench.audited()).at(-1);

const EVERYWHERE = { clusters: ['*'], namespaces: ['*'] };
const rule = (verbs: ActRule['verbs'], who: Partial<ActRule>): ActRule => {
  return { users: [], groups: [], verbs, scope: EVERYWHERE, ...who };
};
const MEMORY: Remedy = {
  action: 'raise-ram',
  says: 'Raise the limit.',
  edits: [{ flag: 'resources.limits.memory', from: '64Gi', to: '96Gi', why: 'was reached', facts: [] }],
  direction: 'raise',
  kind: 'stop-bleed',
};

describe('a plan that is asked for', () => {
  it('is made from what the finding offers, tried, kept, and shown with its buttons', async () => {
    const bench = await planned();
    const plan = await bench.plan();

    expect(plan).toMatchObject({ action: 'set-args', proposedBy: 'U_ONCALL', state: 'proposed' });
    expect(bench.card().text).toMatch(/-\s+- "131072"[\s\S]*\+\s+- "30000"/);
    expect(buttonValue(bench.card().message, 'approve')).toBe(`${plan.id} ${plan.hash}`);
    expect(asks(bench)).toEqual(['approve', 'edit', 'reject']);
    expect(bench.standin.writes.every(({ dryRun }) => dryRun)).toBe(true);
    expect(plan.hazards.find(({ id }) => id === 'not-tried')?.says).toMatch(
      /^Steps? [\d, and]+ depends? on earlier steps/,
    );
  });

  it.each([
    ['a stranger with rights in another namespace', 'U_STRANGER', {}, /may not plan here/],
    ['somebody who may only approve', 'U_APPROVER', {}, /may not plan here/],
    ['a channel that may not read the namespace', 'U_ONCALL', { channel: 'C_OTHER' }, /may not read prod\/llm/],
    ['a channel shared with others', 'U_ONCALL', { externallyShared: true }, /shared with another organization/],
  ] as const)('%s is refused in words, and that is audited', async (_, user, over, words) => {
    const bench = await openCommands({ rights: ELSEWHERE });

    await bench.ask('plan', bench.incident.id, user, over);

    expect(bench.told(user)).toMatch(words);
    expect(await bench.acts.plansOf(bench.incident.id)).toEqual([]);
    expect((await bench.audited()).join('\n')).toContain(`${user} refused prod/llm {"verb":"plan"`);
    expect(bench.chat.posts).toEqual([]);
  });

  const NO_LIMIT = /acting\.maxMemory.*kubectl -n llm patch.*96Gi.*Rollback.*64Gi/s;
  const TO_ONE = /a share above 0 and up to 1, and not 1\.5/;
  it.each<[string, Options, string, RegExp]>([
    ['a protected namespace', { settings: { protectedNamespaces: ['ll*'] } }, '', /is protected/],
    ['a cluster that allows no changes', { allowed: false }, '', /not allowed in cluster prod/],
    ['a finding without a remedy', { remedies: [] }, '', /has no automatic action/],
    ['a value outside the bounds', {}, 'set-args --max-model-len=200000', /200000 is not between 7500 and 131072/],
    ['a value that is no number', {}, 'set-args --max-model-len=long', /a whole number from 1 on.*, and not long/],
    ['a count below zero', {}, 'set-args --max-num-seqs=-4', /a whole number from 1 on, and not -4/],
    ['a part of a token', {}, 'set-args --max-model-len=8192.5', /takes a whole number[\s\S]*and not\s+8192\.5/],
    ['more than the whole card', {}, 'set-args --gpu-memory-utilization=1.5', TO_ONE],
    ['a count above what may be typed', {}, 'stop-bleed --replicas=50', /above 10[\s\S]*acting\.maxReplicas/],
    [
      'a count that would be passed over',
      { ready: true },
      'set-args --replicas=2',
      /would ignore\s`?--replicas=2`?\. Leave it/,
    ],
    ['memory that no configuration lets grow', { remedies: [MEMORY] }, '', NO_LIMIT],
    ['what no button may change', {}, 'set-args --model=other', /--model cannot be changed by a button/],
    [
      'an identity without the right',
      { denied: [{ verb: 'patch' }] },
      '',
      /no permission to change Deployment\/vllm-server/,
    ],
    ['to stop what serves, unless asked for', { ready: true }, 'scale-to-zero', /serv/],
  ])('%s gives no plan, but words and an audit row', async (_, options, more, words) => {
    const bench = await typed(options, `U_ONCALL plan INCIDENT ${more}`);

    expect(bench.told('U_ONCALL')).toMatch(words);
    expect(await bench.acts.plansOf(bench.incident.id)).toEqual([]);
    expect((await bench.audited()).some((row) => row.startsWith('U_ONCALL refused'))).toBe(true);
  });

  it.each([
    ['', /Usage: plan <incident>/],
    ['inc_unknown', /No such incident/],
    ['plan_k3x', /plan_k3x is a plan id/],
    ['llm/other', /No open incident for llm\/other[\s\S]*triage llm\/other/],
    ['embeddings/vllm-server', /No open incident for embeddings\/vllm-server/],
    ['inc_1 dance', /`?dance`? is not an action/],
  ])('%j is answered with what to type', async (text, words) => {
    expect((await typed({}, `U_ONCALL plan ${text}`)).told('U_ONCALL')).toMatch(words);
  });

  it.each(['llm/vllm-server', 'vllm-server', 'prod/llm/vllm-server', 'llm/vllm-server-7d8f6f9c6b-4mnl2'])(
    '%s is the open incident of that pod or workload',
    async (name) => {
      expect((await (await typed({}, `U_ONCALL plan ${name}`)).plan()).action).toBe('set-args');
    },
  );

  it('a name reveals nothing to somebody who may not read there', async () => {
    const bench = await openCommands({ rights: ELSEWHERE });

    await bench.ask('plan', 'llm/vllm-server', 'U_ONCALL', { channel: 'C_OTHER' });

    expect(bench.told('U_ONCALL')).toMatch(/No open incident for llm\/vllm-server/);
  });

  it('takes the remedy that what was typed belongs to', async () => {
    const bench = await typed({}, 'U_ONCALL plan INCIDENT set-args —gpu-memory-utilization=0.93');

    expect((await bench.plan()).edits).toMatchObject([{ flag: '--gpu-memory-utilization', to: '0.93' }]);
  });

  it('takes the place of the one before, whose card loses its buttons', async () => {
    const bench = await planned();
    const first = bench.chat.posts.at(-2);
    const button = await filled(bench, 'BUTTON');

    await type(bench, 'U_ONCALL plan INCIDENT set-args --max-model-len=20000');
    expect(first?.message.choices).toBeUndefined();
    expect(first?.message.summary).toMatch(/newer plan/);
    await type(bench, `U_APPROVER approve ${button}`);

    expect(bench.told('U_APPROVER')).toMatch(/newer plan has replaced/);
    expect(bench.started).toEqual([]);
  });

  it('has its details in the thread, once, and mentions who may approve', async () => {
    const bench = await planned();
    const [card, details] = bench.chat.posts.slice(-2);

    expect(JSON.stringify(card?.message)).toMatch(
      /"user","id":"U_ONCALL".*"user","id":"U_APPROVER".*1 approval needed/,
    );
    expect(details?.thread).toEqual(card?.ref);
    expect(JSON.stringify(details?.message)).toMatch(/Steps.*Rollback commands/);
    await drawPlan({ ...bench.deps }, (await bench.plan()).id, bench.deps);
    expect(bench.chat.posts.at(-1)).toBe(details);
  });

  it('loses its buttons where a newer one was made before its card was posted', async () => {
    const bench = await openCommands();
    const { post } = bench.chat;
    const reached = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    const slowly: typeof post = async (...args) => {
      bench.chat.post = post;
      reached.resolve();
      await released.promise;
      return post(...args);
    };
    bench.chat.post = slowly;

    const first = bench.ask('plan', bench.incident.id);
    await reached.promise;
    await bench.ask('plan', bench.incident.id);
    released.resolve();
    await first;

    const cards = bench.chat.posts.map(({ message }) => (message.choices ?? []).some(({ asks }) => asks === 'approve'));
    expect(cards).toEqual([true, false, false]);
    expect(bench.chat.posts.map(({ message }) => message.summary)).toEqual([
      expect.stringMatching(/^Proposed/),
      expect.stringMatching(/^Details/),
      expect.stringMatching(/newer plan/),
    ]);
  });

  it('goes to the asker alone where the bot may not post, and can be approved by its id', async () => {
    const bench = await openCommands();
    bench.chat.refuse('C_LLM');
    const request = bench.request();
    const alone = { ...request, asker: { ...request.asker, responseUrl: 'https://chat.example/r/1' } };

    await bench.commands.ask('plan', bench.incident.id, alone);
    await bench.commands.ask('approve', (await bench.plan()).id, alone);

    expect(bench.told('U_ONCALL')).toMatch(
      /Proposed: restart vllm-server with --max-model-len 30000[\s\S]*Rollback commands[\s\S]*Approved. The run starts now/,
    );
    expect(bench.started).toEqual([(await bench.run()).id]);
  });
});

describe('editing a plan', () => {
  const values = (to: string | null) => [{ flag: '--max-model-len', to }];
  const edit = (bench: CommandsBench, planId: string, to: string | null, user?: string) =>
    bench.commands.edited({ planId, values: values(to) }, bench.request(user));

  it('shows its values with their bounds, and makes a plan in its place', async () => {
    const bench = await planned();
    const first = await bench.plan();

    const form = await bench.commands.form(await filled(bench, 'BUTTON'), bench.request());
    await edit(bench, first.id, '20000');

    const field = { flag: '--max-model-len', from: '131072', to: '30000', min: 7500, max: 131_072 };
    expect(form).toMatchObject({ planId: first.id, fields: [field] });
    expect((await bench.plan()).edits).toMatchObject([{ flag: '--max-model-len', to: '20000' }]);
    expect((await bench.acts.plan(first.id))?.state).toBe('replaced');
  });

  it('keeps the count that was typed for the plan', async () => {
    const bench = await typed({}, 'U_ONCALL plan INCIDENT stop-bleed --replicas=4');
    const first = await bench.plan();

    await edit(bench, first.id, '20000');

    const edited = await bench.plan();
    expect([first.replicas, edited.replicas]).toEqual([4, 4]);
    expect(edited.id).not.toBe(first.id);
    expect(edited.steps.at(-1)).toMatchObject({ kind: 'verify', replicas: 4 });
  });

  it('is refused outside the bounds, whatever the form has let through, and that is audited', async () => {
    const bench = await planned();
    const { id } = await bench.plan();

    await edit(bench, id, '200000');
    await edit(bench, id, null);

    expect(bench.told('U_ONCALL')).toMatch(/200000 is not between[\s\S]*cannot be left to the engine/);
    expect((await bench.plan()).id).toBe(id);
    expect(await lastAudit(bench)).toMatch(/^U_ONCALL refused/);
  });

  it.each([
    ['a stranger', 'U_STRANGER', 'BUTTON', /may not plan here/],
    ['anybody, of a plan that is none', 'U_ONCALL', 'plan_forged', /No such plan/],
  ] as const)('is refused to %s', async (_, user, value, words) => {
    const bench = await planned();
    const button = await filled(bench, value);

    const form = await bench.commands.form(button, bench.request(user));
    await edit(bench, button.split(' ')[0] ?? '', '20000', user);

    expect(form).toBeUndefined();
    expect(bench.told(user)).toMatch(words);
    expect(await bench.acts.plansOf(bench.incident.id)).toHaveLength(1);
  });

  it.each([
    ['is over once the plan runs', [PLANNED, APPROVED], /already approved/, ['abort']],
    [
      'has no form without values',
      ['U_ONCALL plan INCIDENT scale-to-zero'],
      /no values to edit/,
      ['approve', 'reject'],
    ],
  ])('%s', async (_, lines, words, buttons) => {
    const bench = await typed({}, ...lines);
    const { id } = await bench.plan();

    expect(await bench.commands.form(id, bench.request())).toBeUndefined();
    expect(bench.told('U_ONCALL')).toMatch(words);
    expect(asks(bench)).toEqual(buttons);
  });
});

describe('a click', () => {
  it('of one who may starts the run once, and the card changes after that', async () => {
    const bench = await typed({}, PLANNED, APPROVED);

    const run = await bench.run();
    expect(run).toMatchObject({ state: 'queued', startedBy: 'U_APPROVER' });
    expect(bench.started).toEqual([run.id]);
    expect(asks(bench)).toEqual(['abort']);
  });

  it('that comes twice, or is replayed later, runs once', async () => {
    const bench = await planned();
    const button = await filled(bench, 'BUTTON');

    await Promise.all([1, 2, 3].map(() => bench.ask('approve', button, 'U_APPROVER')));
    await bench.clock.advance(60_000);
    await bench.ask('approve', button, 'U_APPROVER');

    expect(await bench.acts.runsOf(bench.incident.id)).toHaveLength(1);
    expect(bench.started).toHaveLength(1);
    expect(bench.told('U_APPROVER')).toMatch(/already approved. A plan runs once/);
  });

  it.each([
    ['a stranger with rights in another namespace', 'U_STRANGER', 'BUTTON', /may not approve here/],
    ['a forged plan', 'U_APPROVER', 'plan_forged c0ffee', /No such plan/],
    ['a forged hash', 'U_APPROVER', 'PLAN c0ffee', /is from an older version/],
    ['a button without its hash', 'U_APPROVER', 'PLAN', /is from an older version/],
    ['a hash with words', 'U_APPROVER', 'BUTTON please', /is from an older version/],
    ['an empty value', 'U_APPROVER', '', /No such plan/],
  ])('of %s is refused in words and audited', async (_, user, value, words) => {
    const bench = await planned({ rights: ELSEWHERE });

    await bench.commands.ask('approve', await filled(bench, value), { ...bench.request(user), isClick: true });

    expect(bench.told(user)).toMatch(words);
    expect(await lastAudit(bench)).toMatch(new RegExp(`^${user} (refused|click-refused)`));
    expect(bench.started).toEqual([]);
    expect((await bench.plan()).state).toBe('proposed');
  });

  it.each([
    ['approve PLAN --confrim=vllm-server', /Nothing was done: approve has no option/],
    ['approve PLAN —brek-glass="why"', /Nothing was done: approve has no option/],
    ['approve PLAN -confirm=vllm-server', /Nothing was done: approve has no option/],
    ['reject PLAN --reson="why"', /Nothing was done: reject has no option/],
    ['reject PLAN --break-glass="why"', /Nothing was done: reject has no option/],
    ['approve PLAN please', /approve does not know "please"[\s\S]*--confirm=<workload>/],
    ['approve PLAN c0ffee and go on', /approve does not know "c0ffee and go on"/],
    ['reject PLAN because it is wrong', /reject does not know "because it is wrong"[\s\S]*--reason="why"/],
  ])('typed as %s is a mistyped command, no forged button: nothing is done', async (line, words) => {
    const bench = await planned();
    const rows = (await bench.audited()).length;

    await type(bench, `U_APPROVER ${line}`);

    expect(bench.told('U_APPROVER')).toMatch(words);
    expect((await bench.plan()).state).toBe('proposed');
    expect(bench.started).toEqual([]);
    expect(await bench.audited()).toHaveLength(rows);
  });

  it('is as good as its words typed, with the hash of the card', async () => {
    expect((await typed({}, PLANNED, `${APPROVED} --confirm=vllm-server`)).started).toHaveLength(1);
  });

  it('on a plan that has expired is refused, and the card says so', async () => {
    const bench = await planned();

    await bench.clock.advance(900_000);
    await type(bench, APPROVED);

    expect(bench.told('U_APPROVER')).toMatch(/has expired/);
    expect(bench.card().text).toMatch(/expired. Nothing was changed/);
    expect(asks(bench)).toEqual([]);
    expect(bench.started).toEqual([]);
  });

  it.each([1_800_000, -1_800_000])('goes by the clock of the store where the bot’s is %d ms off', async (aheadMs) => {
    const bench = await planned({ aheadMs });

    expect((await bench.plan()).expiresAt).toBe(bench.clock.now() + 900_000);
    await bench.clock.advance(899_999);
    await type(bench, APPROVED);

    expect(bench.started).toHaveLength(1);
  });

  const PAUSED = 'U_ONCALL pause network work';
  const ONLY_SCALE_UP = {
    ...THREE,
    act: [
      rule(['plan', 'approve'], { users: ['U_ONCALL'] }),
      rule(['plan', 'approve', 'rollback'], { users: ['U_APPROVER'], actions: ['scale-up'] }),
    ],
  };
  const BY_GROUP = {
    ...THREE,
    act: [rule(['plan'], { users: ['U_ONCALL'] }), rule(['approve', 'rollback'], { groups: ['S_APPROVERS'] })],
  };
  const BUSY = [APPROVED, 'U_ONCALL plan INCIDENT scale-to-zero', APPROVED];
  const RESUMED = [PAUSED, APPROVED, 'U_APPROVER resume', APPROVED];
  const BARRED = { settings: { barRequester: true } };
  const OWN = ['U_ONCALL approve BUTTON'];
  const ONLY = { rights: ONLY_SCALE_UP };
  it.each<[string, Options, string[], RegExp, started: number]>([
    ['of who has asked is refused where that is barred', BARRED, OWN, /another approver has to approve/, 0],
    ['while another run is under way on the workload is refused', {}, BUSY, /another run is active/, 1],
    ['while all is paused is refused', {}, [PAUSED, APPROVED], /all acting is paused/, 0],
    ['counts again once it goes on', {}, RESUMED, /all acting is paused/, 1],
    ['of one who may do other actions alone is refused', ONLY, [APPROVED], /may not approve set-args here/, 0],
    [
      'of one whose group is empty since the plan is refused',
      { rights: BY_GROUP },
      [APPROVED],
      /may not approve here/,
      0,
    ],
  ])('%s', async (_, options, lines, words, started) => {
    const bench = await typed(options, PLANNED, ...lines);

    expect(bench.told(lines.at(-1)?.split(' ')[0] ?? '')).toMatch(words);
    expect(bench.started).toHaveLength(started);
  });

  it('in a namespace that was protected meanwhile is refused, but its run can be aborted', async () => {
    const protectedAfter = async (...lines: string[]) => {
      const settings = { protectedNamespaces: [] as string[] };
      const bench = await typed({ settings }, PLANNED, ...lines);
      settings.protectedNamespaces.push('llm');
      return bench;
    };
    const [refused, run] = [await protectedAfter(), await protectedAfter(APPROVED)];

    await type(refused, APPROVED);
    await type(run, 'U_APPROVER abort INCIDENT');

    expect(refused.told('U_APPROVER')).toMatch(/is protected/);
    expect(refused.started).toEqual([]);
    expect((await run.run()).command).toBe('abort');
  });

  it('may plan no other action, whether it was named or is the one of the finding', async () => {
    const bench = await planned({ rights: ONLY_SCALE_UP });

    await type(bench, 'U_APPROVER plan INCIDENT set-args', 'U_APPROVER plan INCIDENT');

    expect(bench.told('U_APPROVER')).toContain('may not plan set-args here');
    expect(await bench.acts.plansOf(bench.incident.id)).toHaveLength(1);
  });

  it('may take back no run of another action', async () => {
    const bench = await typed({ rights: ONLY_SCALE_UP }, PLANNED, 'U_ONCALL approve BUTTON', 'U_APPROVER rollback RUN');

    expect(bench.told('U_APPROVER')).toMatch(/may not roll back [a-z-]+ here/);
    expect(await bench.run()).toMatchObject({ command: 'none' });
  });

  it('may not take a run back that they have approved, once the group is empty', async () => {
    const bench = await planned({ rights: BY_GROUP });
    const member = { groups: ['S_APPROVERS'] };
    await bench.ask('approve', await filled(bench, 'BUTTON'), 'U_APPROVER', member);
    const { id } = await bench.run();
    await end(bench, 'running', null);
    await end(bench);

    await bench.ask('rollback', id, 'U_APPROVER');
    const before = await bench.run();
    await bench.ask('rollback', id, 'U_APPROVER', member);

    expect(bench.told('U_APPROVER')).toMatch(/may not roll back here/);
    expect(before).toMatchObject({ state: 'done', command: 'none' });
    expect(await bench.run()).toMatchObject({ state: 'compensating', command: 'roll-back' });
  });

  it('is refused in words of its own where nobody can tell who is in the group, and that is audited', async () => {
    const bench = await planned({ rights: BY_GROUP });
    const unknown = { ...bench.request('U_APPROVER'), groupsUnknown: 'ratelimited' };

    await bench.commands.ask('approve', await filled(bench, 'BUTTON'), unknown);

    expect(bench.told('U_APPROVER')).toMatch(/not return the members of the permitted groups\s+\(ratelimited\)/);
    expect(await lastAudit(bench)).toMatch(/^U_APPROVER refused .*ratelimited/);
    expect(bench.started).toEqual([]);
  });

  it('needs two people where two are wanted, and three at once make one run', async () => {
    const bench = await typed({ settings: { approvals: 2 }, rights: THREE }, PLANNED, APPROVED, APPROVED);
    const button = await filled(bench, 'BUTTON');
    const people = ['U_APPROVER', 'U_ONCALL', 'U_STRANGER'];

    expect(bench.told('U_APPROVER')).toMatch(/counts: 1 of 2[\s\S]*You already approved this plan/);
    expect(bench.started).toEqual([]);
    expect(bench.card().text).toMatch(/1 of 2 approvals: .*U_APPROVER/);
    expect(asks(bench)).toContain('approve');
    await Promise.all([...people, ...people].map((user) => bench.ask('approve', button, user)));

    expect(bench.started).toHaveLength(1);
    expect(await bench.acts.runsOf(bench.incident.id)).toHaveLength(1);
    const [first, second] = await bench.acts.approvals((await bench.run()).planId);
    await drawRun(bench.deps, (await bench.run()).id);
    expect(bench.card().text).toMatch(new RegExp(`approved by .*${first?.who}.*${second?.who}`));
  });

  it('is kept though the engine cannot start the run yet', async () => {
    const bench = await planned();
    bench.started.push = () => {
      throw new Error('the engine is away');
    };

    await type(bench, APPROVED);

    expect((await bench.run()).state).toBe('queued');
    expect(bench.log.entries.some(({ event }) => event === 'run not started yet')).toBe(true);
  });

  it('that the store cannot take changes nothing, and the buttons stay', async () => {
    const bench = await planned();
    const button = await filled(bench, 'BUTTON');
    bench.acts.fail(new OomError('store-failed', 'The disk is full.', { next: 'Free it.' }));

    await expect(bench.ask('approve', button, 'U_APPROVER')).rejects.toThrow('disk');

    expect(asks(bench)).toContain('approve');
    expect(bench.started).toEqual([]);
  });

  it('on a plan that takes down what serves needs the typed name: no button is enough', async () => {
    const bench = await typed({ ready: true }, 'U_ONCALL plan INCIDENT scale-to-zero --to-zero');
    const { id, confirm } = await bench.plan();
    expect(confirm).toBe('vllm-server');
    expect(asks(bench)).not.toContain('approve');

    await type(bench, APPROVED, 'U_APPROVER approve PLAN --confirm=vllm');
    expect(bench.started).toEqual([]);
    expect(bench.told('U_APPROVER')).toContain(`approve ${id} --confirm=vllm-server`);
    expect(await lastAudit(bench)).toMatch(/U_APPROVER refused .*not-confirmed/);

    await type(bench, 'U_APPROVER approve PLAN —confirm=vllm-server');
    expect(bench.started).toHaveLength(1);
  });
});

describe('a plan whose place was lost', () => {
  // The bot died, or Slack's answer did, between the post and the storing of its place.
  async function lost() {
    const bench = await openCommands();
    const chat = { ...bench.chat, post: (...given: Parameters<typeof bench.chat.post>) => bench.chat.post(...given) };
    const dropped = { ...bench.store, placeMessage: () => Promise.reject(new Error('killed')) };
    const { clock, log } = bench;
    const outbox = createOutbox({
      store: dropped,
      chat,
      clock,
      ids: { next: (prefix) => createFakeIds().next(`${prefix}_lost`) },
      log,
    });
    await createActingCommands({ ...bench.deps, outbox }).ask('plan', bench.incident.id, bench.request());
    const copy = bench.chat.posts.at(-1)?.ref;
    const { id, hash } = await bench.plan();
    const click = (verb: 'approve' | 'reject', clicked = copy) =>
      bench.commands.ask(verb, `${id} ${hash}`, { ...bench.request('U_APPROVER'), isClick: true, clicked });
    expect(await bench.store.messages(bench.incident.id, `plan/${id}`)).toEqual([]);
    return { ...bench, copy, id, click };
  }

  it('is shown by the copy that is clicked: the run is drawn there, with its way back', async () => {
    const { click, copy, chat, store, incident, id, run } = await lost();

    await click('approve');

    expect(await store.messages(incident.id, `plan/${id}`)).toEqual([copy]);
    const card = chat.posts.find(({ ref }) => ref.ts === copy?.ts)?.message;
    expect(card?.choices?.map(({ asks: ask, value }) => [ask, value])).toEqual([['abort', (await run()).id]]);
    expect(await store.unsentMessages()).toEqual([]);
  });

  it('gets a card of its own where it is approved by typing', async () => {
    const { commands, request, chat, run, id, store, incident } = await lost();
    await store.dropMessage((await store.unsentMessages())[0]?.id ?? '');

    await commands.ask('approve', id, request('U_APPROVER'));

    expect(await store.messages(incident.id, `plan/${id}`)).toEqual([chat.posts.at(-1)?.ref]);
    expect(chat.posts.at(-1)?.message.choices?.map(({ value }) => value)).toContain((await run()).id);
  });
});

describe('break-glass', () => {
  const alone = { approvals: 2, breakGlass: ['U_APPROVER'] };

  it('approves alone with a reason, which is said aloud and kept', async () => {
    const line = 'U_APPROVER approve PLAN —break-glass=“nobody else is awake”';
    const bench = await typed({ settings: alone }, PLANNED, line);

    const aloud = bench.chat.posts.filter(({ thread }) => thread === undefined);
    expect(bench.started).toHaveLength(1);
    expect(JSON.stringify(aloud)).toMatch(/by one person with break-glass[\s\S]*nobody else is awake/);
    expect((await bench.audited()).join('\n')).toContain('"breakGlass":"nobody else is awake"');
  });

  it('is said aloud by the next process, where Slack was away and this one died', async () => {
    const bench = await planned({ settings: alone });
    bench.chat.isAway = true;
    await type(bench, 'U_APPROVER approve PLAN --break-glass="nobody else is awake"');
    expect(bench.started).toHaveLength(1);

    await nextProcess(bench);

    const aloud = bench.chat.posts.filter(({ thread }) => thread === undefined);
    expect(JSON.stringify(aloud)).toMatch(/by one person with break-glass[\s\S]*nobody else is awake/);
    expect(await bench.store.unsentMessages()).toEqual([]);
  });

  it.each([
    ['without a reason', 'U_APPROVER', '--break-glass=', /needs a reason/],
    ['without a reason at all', 'U_APPROVER', '--break-glass', /needs a reason/],
    ['by one who is not listed', 'U_ONCALL', '--break-glass="please"', /do not have break-glass permission/],
    ['by a stranger', 'U_STRANGER', '--break-glass="please"', /may not approve here/],
  ])('%s does not count, not even as one approval', async (_, user, words, told) => {
    const bench = await typed({ settings: alone }, PLANNED, `${user} approve PLAN ${words}`);

    expect(bench.told(user)).toMatch(told);
    expect(await bench.acts.approvals((await bench.plan()).id)).toEqual([]);
    expect(await lastAudit(bench)).toMatch(new RegExp(`^${user} refused`));
  });
});

describe('a rejection', () => {
  it('ends the plan for everybody', async () => {
    const bench = await typed({}, PLANNED, 'U_APPROVER reject BUTTON', 'U_ONCALL approve BUTTON');

    expect(bench.card().text).toMatch(/rejected. Nothing was changed/);
    expect(bench.told('U_ONCALL')).toMatch(/was rejected/);
    expect(bench.started).toEqual([]);
  });

  it.each([
    '--reason="the node is drained at noon"',
    '—reason=“the node is drained at noon”',
    '--reason the node is drained at noon',
  ])('with its reason, %s, is kept and told in the thread', async (words) => {
    const bench = await planned();
    const thread = { conversation: 'C_LLM', ts: '1.0' };
    await storePlace(bench.store, bench.incident.id, 'card', thread);

    await type(bench, `U_APPROVER reject PLAN ${words}`);

    const said = bench.chat.posts.filter((one) => one.thread?.ts === thread.ts);
    expect(JSON.stringify(said)).toMatch(/Plan rejected.*Reason: the node is drained at noon/);
    expect(bench.card().text).toMatch(/Reason: the node is drained at noon/);
    expect((await bench.audited()).join('\n')).toMatch(
      /^U_APPROVER approval-given .*"reason":"the node is drained at noon"/m,
    );
  });

  it('tells its reason in the next process, where Slack was away and this one died', async () => {
    const bench = await planned();
    bench.chat.isAway = true;
    await type(bench, 'U_APPROVER reject PLAN --reason="the node is drained"');

    await nextProcess(bench);

    expect(JSON.stringify(bench.chat.posts)).toContain('Reason: the node is drained');
  });

  it('keeps no secret that stands in its reason', async () => {
    const bench = await typed({}, PLANNED, `U_APPROVER reject PLAN --reason="key is sk-${'a1B2'.repeat(12)}"`);

    expect((await bench.plan()).state).toBe('rejected');
    expect((await bench.audited()).join('\n')).toMatch(/"reason":"key is \[redacted/);
  });

  it('is open to who has asked, and to no stranger', async () => {
    const rights = { ...RIGHTS, act: [rule(['plan'], { users: ['U_ONCALL'] })] };
    const bench = await typed({ rights }, PLANNED, 'U_STRANGER reject BUTTON');
    expect((await bench.plan()).state).toBe('proposed');

    await type(bench, 'U_ONCALL reject BUTTON');

    expect((await bench.plan()).state).toBe('rejected');
  });
});

describe('words about a plan that Slack refuses for good', () => {
  const alone = { approvals: 2, breakGlass: ['U_APPROVER'] };
  const text = (message: Message) => drawTerminal(message, AS_TEXT).replace(/\s+/g, ' ');
  const told = ({ chat }: CommandsBench) =>
    chat.posts
      .filter(({ ref }) => ref.conversation !== 'C_LLM')
      .map(({ ref, message }) => [ref.conversation, text(message)]);
  const status = async ({ store }: CommandsBench) => {
    const actor = { place: 'terminal', user: 'alice' } as const;
    return text(statusMessage(await readStatus({ store, acts: store, rights: RIGHTS }, actor), 0, 'oom'));
  };

  it.each([
    ['approve PLAN --break-glass="nobody else is awake"', /nobody else is awake.*Not posted in C_LLM: Type/],
    ['reject PLAN --reason="the node is drained"', /the node is drained.*Not posted in C_LLM: Type/],
  ])('reach who asked and who decided, and the status lists them: %s', async (line, words) => {
    const bench = await planned({ settings: alone });
    expect(await status(bench)).not.toContain('Refused by Slack');
    bench.chat.refuse('C_LLM', 'is_archived');

    await type(bench, `U_APPROVER ${line}`);

    await expect.poll(() => told(bench).map(([whom]) => whom)).toEqual(['U_APPROVER', 'U_ONCALL']);
    for (const [, says] of told(bench)) expect(says).toMatch(words);
    expect(await status(bench)).toMatch(/Refused by Slack.*decision on plan_\w+, not posted in C_LLM, inc_/);
    expect(await bench.store.unsentMessages()).toEqual([]);
  });

  it('reach them also by the next process', async () => {
    const bench = await planned({ settings: alone });
    bench.chat.isAway = true;
    await type(bench, 'U_APPROVER approve PLAN --break-glass="nobody else is awake"');
    bench.chat.refuse('C_LLM', 'is_archived');

    await nextProcess(bench);

    await expect.poll(() => told(bench).map(([whom]) => whom)).toEqual(['U_APPROVER', 'U_ONCALL']);
  });

  it('stay in the status where the person cannot be reached either, and are tried once', async () => {
    const bench = await planned({ settings: alone });
    for (const place of ['C_LLM', 'U_APPROVER', 'U_ONCALL']) bench.chat.refuse(place, 'channel_not_found');

    await type(bench, 'U_APPROVER approve PLAN --break-glass="nobody else is awake"');

    await expect.poll(() => bench.store.unsentMessages()).toEqual([]);
    expect(told(bench)).toEqual([]);
    expect((await status(bench)).match(/not posted in/g)).toHaveLength(1);
  });
});

async function end(bench: CommandsBench, state: 'running' | 'done' = 'done', outcome: string | null = 'done.') {
  await bench.acts.setRunState((await bench.run()).id, { state, outcome, actor: 'oombot', at: bench.clock.now() });
}

describe('a run that is under way or over', () => {
  const running = (...lines: readonly string[]) => typed({}, PLANNED, APPROVED, ...lines);

  it.each([
    ['abort RUN', 'abort', /stops before its next step and rolls back/],
    ['abort RUN --without-rollback', 'abandon', /Its changes stay/],
  ] as const)('%s is written down, shown, and wakes the run', async (line, command, words) => {
    const bench = await running(`U_ONCALL ${line}`);
    const { id } = await bench.run();

    expect(await bench.run()).toMatchObject({ command, commandBy: 'U_ONCALL' });
    expect(bench.told('U_ONCALL')).toMatch(words);
    expect(bench.card().text).toMatch(/requested by/);
    expect(asks(bench)).toEqual([]);
    expect(bench.started).toEqual([id, id]);
  });

  it('is taken back after its end, by its own id or that of the incident', async () => {
    const bench = await running();
    await end(bench);
    await drawRun(bench.deps, (await bench.run()).id);
    expect(asks(bench)).toEqual(['roll-back']);

    await type(bench, 'U_APPROVER rollback INCIDENT');

    expect((await bench.run()).state).toBe('compensating');
    expect(bench.told('U_APPROVER')).toMatch(/is rolling back/);
    expect(asks(bench)).toEqual([]);
  });

  it.each([
    ['U_STRANGER abort RUN', /may not abort here/, 'U_STRANGER refused prod/llm'],
    ['U_STRANGER rollback RUN', /may not roll back here/, 'U_STRANGER refused prod/llm'],
    ['U_APPROVER abort run_unknown', /No such run[\s\S]*status/, 'no-such-run'],
    ['U_ONCALL abort RUN --without-rolback', /abort has no option --without-rolback/, ''],
    ['U_APPROVER abort RUN without rollback', /abort does not know "without rollback"/, ''],
    ['U_APPROVER rollback RUN please', /rollback does not know "please"/, ''],
    ['U_APPROVER go-on RUN later', /go-on does not know "later"/, ''],
  ] as const)('is left alone by %s, which is answered', async (line, words, audit) => {
    const bench = await running(line);

    expect(bench.told(line.split(' ')[0] ?? '')).toMatch(words);
    expect((await bench.run()).command).toBe('none');
    expect(await lastAudit(bench)).toContain(audit);
  });

  it('is not aborted once it has ended', async () => {
    const bench = await running();
    await end(bench);

    await type(bench, 'U_APPROVER abort RUN');

    expect(bench.told('U_APPROVER')).toMatch(/Nothing to abort/);
  });
});

describe('the pause of all acting', () => {
  const said = ({ chat }: CommandsBench) => chat.posts.map(({ message }) => message.summary).join(' ');
  async function whileAway(...lines: readonly string[]): Promise<CommandsBench> {
    const bench = await openCommands();
    bench.chat.isAway = true;
    const typing = lines.map((line) => type(bench, line));
    await expect.poll(() => bench.store.unsentMessages()).toHaveLength(lines.length);
    await bench.deps.outbox.stop();
    await Promise.all(typing);
    return bench;
  }

  it('is told to its channel after a stop, where Slack was away', async () => {
    const bench = await whileAway('U_ONCALL pause network work');

    await nextProcess(bench);

    await expect.poll(() => said(bench)).toMatch(/All acting is paused/);
  });

  it('is told as it is then: not that it is paused, once that is over', async () => {
    const bench = await whileAway('U_ONCALL pause network work', 'U_APPROVER resume');

    await nextProcess(bench);

    await expect.poll(() => said(bench)).toMatch(/Acting resumed/);
    await settled(bench);
    expect(said(bench)).not.toMatch(/paused/);
  });

  it('is told to who paused it where the channel refuses that after a stop', async () => {
    const bench = await whileAway('U_ONCALL pause network work');
    bench.chat.refuse('C_LLM', 'is_archived');

    await nextProcess(bench);

    await expect.poll(() => bench.chat.posts.at(-1)?.ref.conversation).toBe('U_ONCALL');
  });

  it('is said aloud with its reason, and only those who may end it', async () => {
    const bench = await typed({}, 'U_ONCALL pause network work', 'U_ONCALL resume');

    expect(bench.card().text).toMatch(/All acting is paused[\s\S]*network work/);
    expect(bench.told('U_ONCALL')).toMatch(/may not resume/);
    expect(await bench.acts.paused()).toMatchObject({ by: 'U_ONCALL', reason: 'network work' });
  });

  it('is shown on the card of every run that it holds, until it ends', async () => {
    const bench = await planned();
    const card = bench.chat.posts.at(-2);

    await type(bench, APPROVED, 'U_ONCALL pause network work');
    expect(JSON.stringify(card?.message)).toMatch(/On hold: all acting is paused.*U_ONCALL.*network work/);
    await type(bench, 'U_APPROVER resume RUN');
    expect(bench.told('U_APPROVER')).toMatch(/resume takes no arguments/);
    expect(await bench.acts.paused()).toBeDefined();
    await type(bench, 'U_APPROVER resume');

    expect(JSON.stringify(card?.message)).not.toMatch(/Held/);
  });

  it('is refused to a stranger', async () => {
    const bench = await typed({}, 'U_STRANGER pause');

    expect(bench.told('U_STRANGER')).toMatch(/may not pause/);
    expect(await bench.acts.paused()).toBeUndefined();
  });
});

describe('somebody at a terminal', () => {
  type Verb = 'approve' | 'abort' | 'go-on' | 'pause' | 'status';
  const at = async (bench: CommandsBench, verb: Verb, rest: string, user: string, groups: string[] = []) => {
    const who = { user, groups: { in: groups, unknown: undefined } };
    return JSON.stringify(await answerTerminal(bench.deps, { verb, rest, who }));
  };

  it('has the rights of the person that they are, and reads the answer there', async () => {
    const bench = await planned();
    const { id } = await bench.plan();

    expect(await at(bench, 'approve', id, 'U_STRANGER')).toMatch(/may not approve here/);
    expect(await at(bench, 'approve', id, 'U_APPROVER')).toMatch(/Approved. The run starts now.*"oom abort run_/);
    expect(await at(bench, 'go-on', (await bench.run()).id, 'U_APPROVER')).toMatch(
      /not waiting for a decision.*status/,
    );
    expect(await at(bench, 'abort', (await bench.run()).id, 'U_APPROVER')).toMatch(
      /stops before its next step and rolls back/,
    );
    expect(await at(bench, 'status', '', 'U_APPROVER')).toMatch(/aborting/);

    expect(bench.chat.whispers).toEqual([]);
    expect(asks(bench)).toEqual([]);
    expect((await bench.audited()).join('\n')).toContain('U_STRANGER refused');
  });

  it('is told of incidents and runs where they may act, and of a pause', async () => {
    const bench = await typed({}, PLANNED, APPROVED);
    const { id } = await bench.run();
    await at(bench, 'pause', 'a freeze', 'U_APPROVER');

    const mine = await at(bench, 'status', '', 'U_APPROVER');
    const theirs = await at(bench, 'status', '', 'U_STRANGER');

    for (const seen of [id, bench.incident.id, 'a freeze']) expect(mine).toContain(seen);
    expect(theirs).toContain('a freeze');
    for (const hidden of [id, bench.incident.id]) expect(theirs).not.toContain(hidden);
  });

  it('has those of their groups too', async () => {
    const bench = await openCommands({ rights: { ...THREE, act: [rule(['pause'], { groups: ['S_APPROVERS'] })] } });

    expect(await at(bench, 'pause', 'why', 'U_APPROVER')).toMatch(/may not pause/);
    expect(await at(bench, 'pause', 'why', 'U_APPROVER', ['S_APPROVERS'])).toMatch(/All acting is paused/);
  });
});
