import { describe, expect, it } from 'vitest';
import { answerTerminal } from '../../../../src/app/acting/commands/answer-terminal.ts';
import type { Rights } from '../../../../src/model/authorise.ts';
import { OomError } from '../../../../src/model/errors.ts';
import type { Remedy } from '../../../../src/model/verdict.ts';
import { buttonValue, type CommandsBench, ELSEWHERE, openCommands, THREE } from '../commands-bench.ts';

async function planned(
  options: Parameters<typeof openCommands>[0] = {},
): Promise<CommandsBench & { readonly button: string }> {
  const bench = await openCommands(options);
  await bench.ask('plan', bench.incident.id);
  const button = `${(await bench.plan()).id} ${(await bench.plan()).hash}`;
  return { ...bench, button };
}

type ActRule = Rights['act'][number];

const MEMORY: Remedy = {
  action: 'raise-ram',
  says: 'Raise the limit.',
  edits: [{ flag: 'resources.limits.memory', from: '64Gi', to: '96Gi', why: 'was reached', facts: [] }],
  direction: 'raise',
  kind: 'stop-bleed',
};

const asks = ({ card }: CommandsBench): readonly string[] => card().message.choices?.map((one) => one.asks) ?? [];

describe('a plan that is asked for', () => {
  it('is made from what the finding offers, tried, kept, and shown with its buttons', async () => {
    const bench = await planned();

    const plan = await bench.plan();

    expect(plan).toMatchObject({ action: 'set-args', proposedBy: 'U_ONCALL', state: 'proposed' });
    expect(bench.card().text).toMatch(/-\s+- "131072"[\s\S]*\+\s+- "30000"/);
    expect(buttonValue(bench.card().message, 'approve')).toBe(`${plan.id} ${plan.hash}`);
    expect(asks(bench)).toEqual(['approve', 'edit', 'reject']);
    expect(bench.cluster.writes.every(({ write }) => write.dryRun)).toBe(true);
  });

  it.each([
    ['a stranger with rights in another namespace', 'U_STRANGER', {}, /may not plan here/],
    ['somebody who may only approve', 'U_APPROVER', {}, /may not plan here/],
    ['a channel that may not read the namespace', 'U_ONCALL', { channel: 'C_OTHER' }, /may not read prod\/llm/],
    ['a channel shared with others', 'U_ONCALL', { externallyShared: true }, /shared with another organisation/],
  ] as const)('%s is refused in words, and that is audited', async (_, user, over, words) => {
    const bench = await openCommands({ rights: ELSEWHERE });

    await bench.ask('plan', bench.incident.id, user, over);

    expect(bench.told(user)).toMatch(words);
    expect(await bench.acts.plansOf(bench.incident.id)).toEqual([]);
    expect((await bench.audited()).join('\n')).toContain(`${user} refused prod/llm {"verb":"plan"`);
    expect(bench.chat.posts).toEqual([]);
  });

  it.each([
    ['a protected namespace', { settings: { protectedNamespaces: ['ll*'] } }, '', /it is protected/],
    ['a cluster that allows no changes', { allowed: false }, '', /not allowed in cluster prod/],
    ['a finding without a remedy', { remedies: [] }, '', /offers nothing that a button could do/],
    ['a value outside the bounds', {}, 'set-args --max-model-len=200000', /200000 is not between 7500 and 131072/],
    ['a value that is no number', {}, 'set-args --max-model-len=long', /a whole number from 1 on.*, and not long/],
    [
      'a count below zero',
      {},
      'set-args --max-num-seqs=-4',
      /--max-num-seqs takes a whole number from 1 on, and not -4/,
    ],
    ['a part of a token', {}, 'set-args --max-model-len=8192.5', /takes a whole number[\s\S]*and not\s+8192\.5/],
    [
      'more than the whole card',
      {},
      'set-args --gpu-memory-utilization=1.5',
      /a share above 0 and up to 1, and not 1\.5/,
    ],
    ['a count above what may be typed', {}, 'stop-bleed --replicas=50', /above 10[\s\S]*acting\.maxReplicas/],
    [
      'a count that would be passed over',
      { ready: true },
      'set-args --replicas=2',
      /would be passed over\. Leave it out/,
    ],
    [
      'memory that no configuration lets grow',
      { remedies: [MEMORY] },
      '',
      /acting\.maxMemory.*kubectl -n llm patch.*96Gi.*The way back.*64Gi/s,
    ],
    ['what no button may change', {}, 'set-args --model=other', /--model is not changed by a button/],
    ['an identity without the right', { denied: [{ verb: 'patch' }] }, '', /may not change Deployment\/vllm-server/],
  ] as const)('%s gives no plan, but words and an audit row', async (_, options, more, words) => {
    const bench = await openCommands(options as never);

    await bench.ask('plan', `${bench.incident.id} ${more}`);

    expect(bench.told('U_ONCALL')).toMatch(words);
    expect(await bench.acts.plansOf(bench.incident.id)).toEqual([]);
    expect((await bench.audited()).some((row) => row.startsWith('U_ONCALL refused'))).toBe(true);
  });

  it.each([
    ['', /It goes: plan <incident>/],
    ['inc_unknown', /no such incident/],
    ['plan_k3x', /plan_k3x is the id of a plan/],
    ['inc_1 dance', /`?dance`? is no action/],
  ])('%j is answered with what to type', async (text, words) => {
    const bench = await openCommands();

    await bench.ask('plan', text);

    expect(bench.told('U_ONCALL')).toMatch(words);
  });

  it('takes the remedy that what was typed belongs to', async () => {
    const bench = await openCommands();

    await bench.ask('plan', `${bench.incident.id} set-args —gpu-memory-utilization=0.93`);

    expect((await bench.plan()).edits.map(({ flag, to }) => `${flag}=${to}`)).toEqual([
      '--gpu-memory-utilization=0.93',
    ]);
  });

  it('takes the place of the one before, whose card loses its buttons', async () => {
    const bench = await planned();
    const first = bench.chat.posts.at(-1);

    await bench.ask('plan', `${bench.incident.id} set-args --max-model-len=20000`);
    expect(first?.message.choices).toBeUndefined();
    expect(first?.message.summary).toMatch(/newer plan/);
    await bench.ask('approve', bench.button, 'U_APPROVER');

    expect(bench.told('U_APPROVER')).toMatch(/newer plan has taken the place/);
    expect(bench.started).toEqual([]);
  });

  it('goes to the asker alone where the bot may not post, and can be approved by its id', async () => {
    const bench = await openCommands();
    bench.chat.refuse('C_LLM');
    const request = bench.request();
    const alone = { ...request, asker: { ...request.asker, responseUrl: 'https://chat.example/r/1' } };

    await bench.commands.ask('plan', bench.incident.id, alone);
    await bench.commands.ask('approve', (await bench.plan()).id, alone);

    expect(bench.told('U_ONCALL')).toMatch(/Plan: set-args[\s\S]*Approved: the run begins/);
    expect(bench.started).toEqual([(await bench.run()).id]);
  });
});

describe('editing a plan', () => {
  const values = (to: string | null) => [{ flag: '--max-model-len', to }];

  it('shows its values with their bounds, and makes a plan in its place', async () => {
    const bench = await planned();
    const first = await bench.plan();

    const form = await bench.commands.form(bench.button, bench.request());
    await bench.commands.edited({ planId: first.id, values: values('20000') }, bench.request());

    const field = { flag: '--max-model-len', from: '131072', to: '30000', min: 7500, max: 131_072 };
    expect(form).toMatchObject({ planId: first.id, fields: [field] });
    expect((await bench.plan()).edits).toMatchObject([{ flag: '--max-model-len', to: '20000' }]);
    expect((await bench.acts.plan(first.id))?.state).toBe('replaced');
  });

  it('keeps the count that was typed for the plan', async () => {
    const bench = await openCommands();
    await bench.ask('plan', `${bench.incident.id} stop-bleed --replicas=4`);
    const first = await bench.plan();

    await bench.commands.edited({ planId: first.id, values: values('20000') }, bench.request());

    const edited = await bench.plan();
    expect([first.replicas, edited.replicas]).toEqual([4, 4]);
    expect(edited.id).not.toBe(first.id);
    expect(edited.steps.at(-1)).toMatchObject({ kind: 'verify', replicas: 4 });
  });

  it('is refused outside the bounds, whatever the form has let through, and that is audited', async () => {
    const bench = await planned();
    const { id } = await bench.plan();

    await bench.commands.edited({ planId: id, values: values('200000') }, bench.request());
    await bench.commands.edited({ planId: id, values: values(null) }, bench.request());

    expect(bench.told('U_ONCALL')).toMatch(/200000 is not between[\s\S]*can not be left to the engine/);
    expect((await bench.plan()).id).toBe(id);
    expect((await bench.audited()).at(-1)).toMatch(/^U_ONCALL refused/);
  });

  it.each([
    ['a stranger', 'U_STRANGER', (button: string) => button, /may not plan here/],
    ['anybody, of a plan that is none', 'U_ONCALL', () => 'plan_forged', /no such plan/],
  ] as const)('is refused to %s', async (_, user, value, words) => {
    const bench = await planned();
    const planId = value(bench.button).split(' ')[0] ?? '';

    const form = await bench.commands.form(value(bench.button), bench.request(user));
    await bench.commands.edited({ planId, values: values('20000') }, bench.request(user));

    expect(form).toBeUndefined();
    expect(bench.told(user)).toMatch(words);
    expect(await bench.acts.plansOf(bench.incident.id)).toHaveLength(1);
  });

  it('is over once the plan runs', async () => {
    const bench = await planned();
    await bench.ask('approve', bench.button, 'U_APPROVER');

    expect(await bench.commands.form(bench.button, bench.request())).toBeUndefined();
    expect(bench.told('U_ONCALL')).toMatch(/approved before/);
  });

  it('has no form where there are no values', async () => {
    const bench = await openCommands();
    await bench.ask('plan', `${bench.incident.id} scale-to-zero`);

    expect(asks(bench)).toEqual(['approve', 'reject']);
    expect(await bench.commands.form((await bench.plan()).id, bench.request())).toBeUndefined();
    expect(bench.told('U_ONCALL')).toMatch(/no values that could be edited/);
  });
});

describe('a click', () => {
  it('of one who may starts the run once, and the card changes after that', async () => {
    const bench = await planned();

    await bench.ask('approve', bench.button, 'U_APPROVER');

    const run = await bench.run();
    expect(run).toMatchObject({ state: 'queued', startedBy: 'U_APPROVER' });
    expect(bench.started).toEqual([run.id]);
    expect(asks(bench)).toEqual(['abort']);
  });

  it('that comes twice, or is replayed later, runs once', async () => {
    const bench = await planned();

    await Promise.all([1, 2, 3].map(() => bench.ask('approve', bench.button, 'U_APPROVER')));
    await bench.clock.advance(60_000);
    await bench.ask('approve', bench.button, 'U_APPROVER');

    expect(await bench.acts.runsOf(bench.incident.id)).toHaveLength(1);
    expect(bench.started).toHaveLength(1);
    expect(bench.told('U_APPROVER')).toMatch(/approved before, and it runs once/);
  });

  it.each([
    ['a stranger with rights in another namespace', 'U_STRANGER', (button: string) => button, /may not approve here/],
    ['a forged plan', 'U_APPROVER', () => 'plan_forged c0ffee', /no such plan/],
    [
      'a forged hash',
      'U_APPROVER',
      (button: string) => `${button.split(' ')[0]} c0ffee`,
      /not the one that this button/,
    ],
    ['a button without its hash', 'U_APPROVER', (button: string) => `${button.split(' ')[0]}`, /not the one that this/],
    ['a hash with words', 'U_APPROVER', (button: string) => `${button} please`, /not the one that this/],
    ['an empty value', 'U_APPROVER', () => '', /no such plan/],
  ])('of %s is refused in words and audited', async (_, user, value, words) => {
    const bench = await planned({ rights: ELSEWHERE });

    await bench.commands.ask('approve', value(bench.button), { ...bench.request(user), isClick: true });

    expect(bench.told(user)).toMatch(words);
    expect((await bench.audited()).at(-1)).toMatch(new RegExp(`^${user} (refused|click-refused)`));
    expect(bench.started).toEqual([]);
    expect((await bench.plan()).state).toBe('proposed');
  });

  it.each(['--confrim=vllm-server', '—brek-glass="why"', '-confirm=vllm-server'])(
    'with an option that is none, %s, does nothing rather than something else',
    async (option) => {
      const bench = await planned();

      await bench.ask('approve', `${(await bench.plan()).id} ${option}`, 'U_APPROVER');

      expect(bench.told('U_APPROVER')).toMatch(/Nothing was done: approve has no option/);
      expect((await bench.plan()).state).toBe('proposed');
      expect(bench.started).toEqual([]);
    },
  );

  it.each([
    ['approve', 'please', /approve does not know what “please” means[\s\S]*--confirm=<workload>/],
    ['approve', 'c0ffee and go on', /approve does not know what “c0ffee and go on” means/],
    ['reject', 'because it is wrong', /reject does not know what “because it is wrong”[\s\S]*--reason="why"/],
  ] as const)('%s typed with %j behind the plan is a mistyped command, no forged button', async (verb, more, words) => {
    const bench = await planned();
    const rows = (await bench.audited()).length;

    await bench.ask(verb, `${(await bench.plan()).id} ${more}`, 'U_APPROVER');

    expect(bench.told('U_APPROVER')).toMatch(words);
    expect((await bench.plan()).state).toBe('proposed');
    expect(await bench.audited()).toHaveLength(rows);
  });

  it('is as good as its words typed, with the hash of the card', async () => {
    const bench = await planned();

    await bench.ask('approve', `${bench.button} --confirm=vllm-server`, 'U_APPROVER');

    expect(bench.started).toHaveLength(1);
  });

  it('on a plan that has expired is refused, and the card says so', async () => {
    const bench = await planned();

    await bench.clock.advance(900_000);
    await bench.ask('approve', bench.button, 'U_APPROVER');

    expect(bench.told('U_APPROVER')).toMatch(/has expired/);
    expect(bench.card().text).toMatch(/has expired; nothing was changed/);
    expect(asks(bench)).toEqual([]);
    expect(bench.started).toEqual([]);
  });

  it.each([1_800_000, -1_800_000])(
    'goes by the clock of the store where that of the bot is %d ms off',
    async (aheadMs) => {
      const bench = await planned({ aheadMs });

      expect((await bench.plan()).expiresAt).toBe(bench.clock.now() + 900_000);
      await bench.clock.advance(899_999);
      await bench.ask('approve', bench.button, 'U_APPROVER');

      expect(bench.started).toHaveLength(1);
    },
  );

  it('of who has asked is refused where that is barred', async () => {
    const bench = await planned({ settings: { barRequester: true } });

    await bench.ask('approve', bench.button);

    expect(bench.told('U_ONCALL')).toMatch(/somebody else has to approve/);
    expect(bench.started).toEqual([]);
  });

  it('in a namespace that was protected meanwhile is refused', async () => {
    const settings = { protectedNamespaces: [] as string[] };
    const bench = await planned({ settings });
    settings.protectedNamespaces.push('llm');

    await bench.ask('approve', bench.button, 'U_APPROVER');

    expect(bench.told('U_APPROVER')).toMatch(/it is protected/);
    expect(bench.started).toEqual([]);
  });

  it('while another run is under way on the workload is refused', async () => {
    const bench = await planned();
    await bench.ask('approve', bench.button, 'U_APPROVER');
    await bench.ask('plan', `${bench.incident.id} scale-to-zero`);
    const { id, hash } = await bench.plan();

    await bench.ask('approve', `${id} ${hash}`, 'U_APPROVER');

    expect(bench.told('U_APPROVER')).toMatch(/another run is under way/);
    expect(bench.started).toHaveLength(1);
  });

  it('while all is paused is refused, and counts again once it goes on', async () => {
    const bench = await planned();
    await bench.ask('pause', 'network work', 'U_ONCALL');
    await bench.ask('approve', bench.button, 'U_APPROVER');
    expect(bench.told('U_APPROVER')).toMatch(/all acting is paused/);
    expect(bench.started).toEqual([]);

    await bench.ask('resume', '', 'U_APPROVER');
    await bench.ask('approve', bench.button, 'U_APPROVER');

    expect(bench.started).toHaveLength(1);
  });

  it('needs two people where two are wanted, and three at once make one run', async () => {
    const bench = await planned({ settings: { approvals: 2 }, rights: THREE });
    const people = ['U_APPROVER', 'U_ONCALL', 'U_STRANGER'];

    await bench.ask('approve', bench.button, 'U_APPROVER');
    await bench.ask('approve', bench.button, 'U_APPROVER');
    expect(bench.told('U_APPROVER')).toMatch(/counts: 1 of 2[\s\S]*not counted twice/);
    expect(bench.started).toEqual([]);
    expect(bench.card().text).toMatch(/1 of 2 approvals: .*U_APPROVER/);
    expect(asks(bench)).toContain('approve');
    await Promise.all([...people, ...people].map((user) => bench.ask('approve', bench.button, user)));

    expect(bench.started).toHaveLength(1);
    expect(await bench.acts.runsOf(bench.incident.id)).toHaveLength(1);
    const [first, second] = await bench.acts.approvals((await bench.run()).planId);
    await bench.commands.draw((await bench.run()).id);
    expect(bench.card().text).toMatch(new RegExp(`approved by .*${first?.who}.*${second?.who}`));
  });

  it('says which of its steps could not be tried before', async () => {
    const bench = await planned();

    const { hazards } = await bench.plan();

    expect(hazards.find(({ id }) => id === 'not-tried')?.says).toMatch(/^Steps? [\d, and]+ could not be tried before/);
  });

  it('is kept though the engine can not start the run yet', async () => {
    const bench = await planned();
    const start = bench.started.push.bind(bench.started);
    bench.started.push = () => {
      throw new Error('the engine is away');
    };

    await bench.ask('approve', bench.button, 'U_APPROVER');
    bench.started.push = start;

    expect((await bench.run()).state).toBe('queued');
    expect(bench.log.entries.some(({ event }) => event === 'run not started yet')).toBe(true);
  });

  it('that the store can not take changes nothing, and the buttons stay', async () => {
    const bench = await planned();
    bench.acts.fail(new OomError('store-failed', 'The disk is full.', { next: 'Free it.' }));

    await expect(bench.ask('approve', bench.button, 'U_APPROVER')).rejects.toThrow('disk');

    expect(asks(bench)).toContain('approve');
    expect(bench.started).toEqual([]);
  });
});

describe('taking down what serves', () => {
  it('is not planned unless it is asked for', async () => {
    const bench = await openCommands({ ready: true });

    await bench.ask('plan', `${bench.incident.id} scale-to-zero`);

    expect(bench.told('U_ONCALL')).toMatch(/serv/);
    expect(await bench.acts.plansOf(bench.incident.id)).toEqual([]);
  });

  it('needs the typed name: no button, and no click, is enough', async () => {
    const bench = await openCommands({ ready: true });
    await bench.ask('plan', `${bench.incident.id} scale-to-zero --to-zero`);
    const { id, hash, confirm } = await bench.plan();
    expect(confirm).toBe('vllm-server');
    expect(asks(bench)).not.toContain('approve');

    await bench.ask('approve', `${id} ${hash}`, 'U_APPROVER');
    await bench.ask('approve', `${id} --confirm=vllm`, 'U_APPROVER');
    expect(bench.started).toEqual([]);
    expect(bench.told('U_APPROVER')).toContain(`approve ${id} --confirm=vllm-server`);
    expect((await bench.audited()).at(-1)).toMatch(/U_APPROVER refused .*not-confirmed/);

    await bench.ask('approve', `${id} —confirm=vllm-server`, 'U_APPROVER');
    expect(bench.started).toHaveLength(1);
  });
});

describe('break-glass', () => {
  const alone = { approvals: 2, breakGlass: ['U_APPROVER'] };

  it('approves alone with a reason, which is said aloud and kept', async () => {
    const bench = await planned({ settings: alone });

    await bench.ask('approve', `${(await bench.plan()).id} —break-glass=“nobody else is awake”`, 'U_APPROVER');

    const aloud = bench.chat.posts
      .filter(({ thread }) => thread === undefined)
      .map(({ message }) => JSON.stringify(message));
    expect(bench.started).toHaveLength(1);
    expect(aloud.join('\n')).toMatch(/approved alone, by break-glass[\s\S]*nobody else is awake/);
    expect((await bench.audited()).join('\n')).toContain('"breakGlass":"nobody else is awake"');
  });

  it.each([
    ['without a reason', 'U_APPROVER', '--break-glass=', /needs its reason/],
    ['without a reason at all', 'U_APPROVER', '--break-glass', /needs its reason/],
    ['by one who is not listed', 'U_ONCALL', '--break-glass="please"', /may not approve alone/],
    ['by a stranger', 'U_STRANGER', '--break-glass="please"', /may not approve here/],
  ])('%s does not count, not even as one approval', async (_, user, words, told) => {
    const bench = await planned({ settings: alone });
    const { id } = await bench.plan();

    await bench.ask('approve', `${id} ${words}`, user);

    expect(bench.told(user)).toMatch(told);
    expect(await bench.acts.approvals(id)).toEqual([]);
    expect((await bench.audited()).at(-1)).toMatch(new RegExp(`^${user} refused`));
  });
});

describe('a rejection', () => {
  it('ends the plan for everybody', async () => {
    const bench = await planned();

    await bench.ask('reject', bench.button, 'U_APPROVER');
    await bench.ask('approve', bench.button, 'U_ONCALL');

    expect(bench.card().text).toMatch(/rejected; nothing was changed/);
    expect(bench.told('U_ONCALL')).toMatch(/was rejected/);
    expect(bench.started).toEqual([]);
  });

  it.each([
    ['--reason="the node is drained at noon"'],
    ['—reason=“the node is drained at noon”'],
    ['--reason the node is drained at noon'],
  ])('with its reason, %s, is kept and told in the thread', async (words) => {
    const bench = await planned();
    const thread = { conversation: 'C_LLM', ts: '1.0' };
    await bench.store.saveMessage(bench.incident.id, 'card', thread);

    await bench.ask('reject', `${(await bench.plan()).id} ${words}`, 'U_APPROVER');

    const said = bench.chat.posts.filter((one) => one.thread?.ts === thread.ts).map(({ message }) => message);
    expect(JSON.stringify(said)).toMatch(/was rejected.*Because: the node is drained at noon/);
    expect(bench.card().text).toMatch(/Because: the node is drained at noon/);
    expect((await bench.audited()).at(-1)).toMatch(
      /^U_APPROVER approval-given .*"reason":"the node is drained at noon"/,
    );
  });

  it('keeps no secret that stands in its reason', async () => {
    const bench = await planned();

    await bench.ask('reject', `${(await bench.plan()).id} --reason="key is sk-${'a1B2'.repeat(12)}"`, 'U_APPROVER');

    expect((await bench.plan()).state).toBe('rejected');
    expect((await bench.audited()).at(-1)).toMatch(/"reason":"key is \[redacted/);
  });

  it.each(['--reson="why"', '--break-glass="why"'])('with %s, which it does not take, does nothing', async (words) => {
    const bench = await planned();

    await bench.ask('reject', `${(await bench.plan()).id} ${words}`, 'U_APPROVER');

    expect(bench.told('U_APPROVER')).toMatch(/Nothing was done: reject has no option/);
    expect((await bench.plan()).state).toBe('proposed');
  });

  it('is open to who has asked, and to no stranger', async () => {
    const rights = { channels: {}, defaultChannel: { clusters: ['*'], namespaces: ['*'] }, act: [] };
    const onlyPlans = {
      users: ['U_ONCALL'],
      groups: [],
      verbs: ['plan' as const],
      scope: { clusters: ['*'], namespaces: ['*'] },
    };
    const bench = await planned({ rights: { ...rights, act: [onlyPlans] } });

    await bench.ask('reject', bench.button, 'U_STRANGER');
    expect((await bench.plan()).state).toBe('proposed');
    await bench.ask('reject', bench.button);

    expect((await bench.plan()).state).toBe('rejected');
  });
});

describe('a run that is under way or over', () => {
  const running = async () => {
    const bench = await planned();
    await bench.ask('approve', bench.button, 'U_APPROVER');
    return { ...bench, id: (await bench.run()).id };
  };

  it.each([
    ['abort', '', 'abort', /takes back what it has written/],
    ['abort', ' --without-rollback', 'abandon', /nothing is taken back/],
  ] as const)('%s%s is written down, shown, and wakes the run', async (verb, more, command, words) => {
    const bench = await running();

    await bench.ask(verb, `${bench.id}${more}`, 'U_ONCALL');

    expect(await bench.run()).toMatchObject({ command, commandBy: 'U_ONCALL' });
    expect(bench.told('U_ONCALL')).toMatch(words);
    expect(bench.card().text).toMatch(/as asked by/);
    expect(asks(bench)).toEqual([]);
    expect(bench.started).toEqual([bench.id, bench.id]);
  });

  it('is not aborted, and so not taken back, where the option that forbids it is mistyped', async () => {
    const bench = await running();

    await bench.ask('abort', `${bench.id} --without-rolback`, 'U_ONCALL');

    expect((await bench.run()).command).toBe('none');
    expect(bench.told('U_ONCALL')).toMatch(/abort has no option --without-rolback/);
  });

  it('is taken back after its end, by its own id or that of the incident', async () => {
    const bench = await running();
    await bench.acts.setRunState(bench.id, { state: 'done', outcome: 'All steps are done.', actor: 'oombot', at: 1 });
    await bench.commands.draw(bench.id);
    expect(asks(bench)).toEqual(['roll-back']);

    await bench.ask('rollback', bench.incident.id, 'U_APPROVER');

    expect((await bench.run()).state).toBe('compensating');
    expect(bench.told('U_APPROVER')).toMatch(/is being taken back/);
    expect(asks(bench)).toEqual([]);
  });

  it.each([
    ['abort', 'U_STRANGER', /may not abort here/],
    ['rollback', 'U_STRANGER', /may not roll back here/],
  ] as const)('%s by %s is refused and audited', async (verb, user, words) => {
    const bench = await running();

    await bench.ask(verb, bench.id, user);

    expect(bench.told(user)).toMatch(words);
    expect((await bench.run()).command).toBe('none');
    expect((await bench.audited()).at(-1)).toMatch(new RegExp(`^${user} refused prod/llm`));
  });

  it.each([
    ['abort', 'without rollback', /abort does not know what “without rollback” means/],
    ['rollback', 'please', /rollback does not know what “please” means/],
    ['go-on', 'later', /go-on does not know what “later” means/],
  ] as const)('is left alone by a mistyped %s', async (verb, more, words) => {
    const bench = await running();

    await bench.ask(verb, `${bench.id} ${more}`, 'U_APPROVER');

    expect(bench.told('U_APPROVER')).toMatch(words);
    expect((await bench.run()).command).toBe('none');
  });

  it('does not go on with all others where only one was named', async () => {
    const bench = await running();
    await bench.ask('pause', 'network work', 'U_ONCALL');

    await bench.ask('resume', bench.id, 'U_APPROVER');

    expect(bench.told('U_APPROVER')).toMatch(/resume stands alone/);
    expect(await bench.acts.paused()).toBeDefined();
  });

  it('is not aborted once it has ended', async () => {
    const bench = await running();
    await bench.acts.setRunState(bench.id, { state: 'done', outcome: 'All steps are done.', actor: 'oombot', at: 1 });

    await bench.ask('abort', bench.id, 'U_APPROVER');

    expect(bench.told('U_APPROVER')).toMatch(/nothing to abort/);
  });

  it('can be aborted where the namespace was protected meanwhile', async () => {
    const settings = { protectedNamespaces: [] as string[] };
    const bench = await planned({ settings });
    await bench.ask('approve', bench.button, 'U_APPROVER');
    settings.protectedNamespaces.push('llm');

    await bench.ask('abort', bench.incident.id, 'U_APPROVER');

    expect((await bench.run()).command).toBe('abort');
  });

  it('that nobody knows is answered with how to find one', async () => {
    const bench = await openCommands();

    await bench.ask('abort', 'run_unknown', 'U_APPROVER');

    expect(bench.told('U_APPROVER')).toMatch(/no such run[\s\S]*status/);
    expect((await bench.audited()).at(-1)).toMatch(/^U_APPROVER .*no-such-run/);
  });
});

describe('the pause of all acting', () => {
  it('is said aloud with its reason, and only those who may end it', async () => {
    const bench = await openCommands();

    await bench.ask('pause', 'network work', 'U_ONCALL');
    await bench.ask('resume', '', 'U_ONCALL');

    expect(bench.card().text).toMatch(/All acting is paused[\s\S]*network work/);
    expect(bench.told('U_ONCALL')).toMatch(/may not resume/);
    expect(await bench.acts.paused()).toMatchObject({ by: 'U_ONCALL', reason: 'network work' });
  });

  it('is shown on the card of every run that it holds, until it ends', async () => {
    const bench = await planned();
    const card = bench.chat.posts.at(-1);
    await bench.ask('approve', bench.button, 'U_APPROVER');

    await bench.ask('pause', 'network work', 'U_ONCALL');
    expect(JSON.stringify(card?.message)).toMatch(/Held: all acting is paused.*U_ONCALL.*network work/);
    await bench.ask('resume', '', 'U_APPROVER');

    expect(JSON.stringify(card?.message)).not.toMatch(/Held/);
  });

  it('is refused to a stranger', async () => {
    const bench = await openCommands();

    await bench.ask('pause', '', 'U_STRANGER');

    expect(bench.told('U_STRANGER')).toMatch(/may not pause/);
    expect(await bench.acts.paused()).toBeUndefined();
  });
});

describe('somebody at a terminal', () => {
  const at = (
    bench: CommandsBench,
    verb: 'approve' | 'abort' | 'go-on' | 'pause' | 'status',
    rest: string,
    user: string,
    groups: string[] = [],
  ) =>
    answerTerminal(bench.deps, { verb, rest, who: { user, groups: { in: groups, unknown: undefined } } }).then((all) =>
      JSON.stringify(all),
    );

  it('has the rights of the person that they are, and reads the answer there', async () => {
    const bench = await planned();
    const { id } = await bench.plan();

    expect(await at(bench, 'approve', id, 'U_STRANGER')).toMatch(/may not approve here/);
    expect(await at(bench, 'approve', id, 'U_APPROVER')).toMatch(/Approved: the run begins.*"oom abort run_/);
    expect(await at(bench, 'go-on', (await bench.run()).id, 'U_APPROVER')).toMatch(/asks nothing now.*`status`/);
    expect(await at(bench, 'abort', (await bench.run()).id, 'U_APPROVER')).toMatch(/takes back what it has written/);
    expect(await at(bench, 'status', '', 'U_APPROVER')).toMatch(/is being aborted/);

    expect(bench.chat.whispers).toEqual([]);
    expect(asks(bench)).toEqual([]);
    expect((await bench.audited()).join('\n')).toContain('U_STRANGER refused');
  });

  it('is told of incidents and runs where they may act, and of a pause', async () => {
    const bench = await planned();
    await bench.ask('approve', bench.button, 'U_APPROVER');
    const { id } = await bench.run();
    await at(bench, 'pause', 'a freeze', 'U_APPROVER');

    const mine = await at(bench, 'status', '', 'U_APPROVER');
    const theirs = await at(bench, 'status', '', 'U_STRANGER');

    for (const seen of [id, bench.incident.id, 'a freeze']) expect(mine).toContain(seen);
    expect(theirs).toContain('a freeze');
    for (const hidden of [id, bench.incident.id]) expect(theirs).not.toContain(hidden);
  });

  it('has those of their groups too', async () => {
    const act = [
      { users: [], groups: ['S_APPROVERS'], verbs: ['pause' as const], scope: { clusters: ['*'], namespaces: ['*'] } },
    ];
    const bench = await openCommands({ rights: { ...THREE, act } });

    expect(await at(bench, 'pause', 'why', 'U_APPROVER')).toMatch(/may not pause/);
    expect(await at(bench, 'pause', 'why', 'U_APPROVER', ['S_APPROVERS'])).toMatch(/All acting is paused/);
  });
});

describe('somebody who may do it with some actions alone', () => {
  const rule = (users: string[], verbs: ActRule['verbs'], actions?: ActRule['actions']): ActRule => ({
    users,
    groups: [],
    verbs,
    actions,
    scope: { clusters: ['*'], namespaces: ['*'] },
  });
  const restricted = (actions: ActRule['actions']) => ({
    ...THREE,
    act: [rule(['U_ONCALL'], ['plan', 'approve']), rule(['U_APPROVER'], ['plan', 'approve', 'rollback'], actions)],
  });

  it('may not approve another one, and is told which', async () => {
    const bench = await planned({ rights: restricted(['scale-up']) });
    const { action } = await bench.plan();

    await bench.ask('approve', bench.button, 'U_APPROVER');

    expect(bench.told('U_APPROVER')).toContain(`may not approve ${action} here`);
    expect(bench.started).toEqual([]);
  });

  it('may not plan another one, whether it was named or is the one of the finding', async () => {
    const bench = await planned({ rights: restricted(['scale-up']) });
    const { incidentId, action } = await bench.plan();
    const before = (await bench.acts.plansOf(incidentId)).length;

    await bench.ask('plan', `${incidentId} ${action}`, 'U_APPROVER');
    await bench.ask('plan', incidentId, 'U_APPROVER');

    expect(bench.told('U_APPROVER')).toContain(`may not plan ${action} here`);
    expect(await bench.acts.plansOf(incidentId)).toHaveLength(before);
  });

  it('may take back no run of another one', async () => {
    const bench = await planned({ rights: restricted(['scale-up']) });
    await bench.ask('approve', bench.button, 'U_ONCALL');
    const { id } = await bench.run();

    await bench.ask('rollback', id, 'U_APPROVER');

    expect(bench.told('U_APPROVER')).toMatch(/may not roll back [a-z-]+ here/);
    expect(await bench.run()).toMatchObject({ command: 'none' });
  });
});

describe('somebody whose right comes from a group', () => {
  const everywhere = { clusters: ['*'], namespaces: ['*'] };
  const rule = (users: string[], groups: string[], verbs: ('plan' | 'approve' | 'rollback')[]) => ({
    users,
    groups,
    verbs,
    scope: everywhere,
  });
  const act = [rule(['U_ONCALL'], [], ['plan']), rule([], ['S_APPROVERS'], ['approve', 'rollback'])];
  const member = { groups: ['S_APPROVERS'] };

  it('may not approve once the group is empty, though they could have when the plan was made', async () => {
    const bench = await planned({ rights: { ...THREE, act } });

    await bench.ask('approve', bench.button, 'U_APPROVER');

    expect(bench.told('U_APPROVER')).toMatch(/may not approve here/);
    expect(bench.started).toEqual([]);
  });

  it('may not take a run back that they have approved, once the group is empty', async () => {
    const bench = await planned({ rights: { ...THREE, act } });
    await bench.ask('approve', bench.button, 'U_APPROVER', member);
    const { id } = await bench.run();
    await bench.acts.setRunState(id, { state: 'running', outcome: null, actor: 'oombot', at: bench.clock.now() });
    await bench.acts.setRunState(id, { state: 'done', outcome: 'done.', actor: 'oombot', at: bench.clock.now() });

    await bench.ask('rollback', id, 'U_APPROVER');
    const before = await bench.run();
    await bench.ask('rollback', id, 'U_APPROVER', member);

    expect(bench.told('U_APPROVER')).toMatch(/may not roll back here/);
    expect(before).toMatchObject({ state: 'done', command: 'none' });
    expect(await bench.run()).toMatchObject({ state: 'compensating', command: 'roll-back' });
  });

  it('is refused in words of their own where nobody can tell who is in it, and that is audited', async () => {
    const bench = await planned({ rights: { ...THREE, act } });
    const unknown = { ...bench.request('U_APPROVER'), groupsUnknown: 'ratelimited' };

    await bench.commands.ask('approve', bench.button, unknown);

    expect(bench.told('U_APPROVER')).toMatch(/Slack did not tell who is in the groups that may \(ratelimited\)/);
    expect((await bench.audited()).at(-1)).toMatch(/^U_APPROVER refused .*ratelimited/);
    expect(bench.started).toEqual([]);
  });
});
