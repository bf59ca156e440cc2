import { describe, expect, it } from 'vitest';
import {
  ACT_VERBS,
  type Actor,
  approversFor,
  authorise,
  READ_VERBS,
  type Rights,
  type Target,
} from '../../src/model/authorise.ts';

const LLM: Target = { cluster: 'prod', namespace: 'llm-a' };
const ALL = { clusters: ['*'], namespaces: ['*'] };
const rights = (over: Partial<Rights> = {}): Rights => ({ channels: {}, defaultChannel: null, act: [], ...over });
const inSlack = (over: Partial<Extract<Actor, { place: 'slack' }>> = {}): Actor => ({
  place: 'slack',
  user: 'U_ONCALL',
  groups: [],
  channel: 'C_LLM',
  externallyShared: false,
  ...over,
});
const inTerminal: Actor = { place: 'terminal', user: 'U_ONCALL' };
const scope = (...namespaces: string[]) => ({ clusters: ['prod'], namespaces });
const mapped = (...namespaces: string[]) => rights({ channels: { C_LLM: scope(...namespaces) } });
const SHARED = inSlack({ externallyShared: true });

describe('reading', () => {
  it.each<[string, Rights, Actor, Target | undefined, string]>([
    ['a mapped channel its namespace', mapped('llm-a'), inSlack(), LLM, 'full'],
    ['a mapped channel not by a pattern of other names', mapped('llm-b*'), inSlack(), LLM, 'refused'],
    ['a name is no pattern', mapped('llm'), inSlack(), LLM, 'refused'],
    ['a mapped channel not another cluster', mapped('*'), inSlack(), { ...LLM, cluster: 'stage' }, 'refused'],
    ['a mapped channel with no entries nothing', mapped(), inSlack(), LLM, 'refused'],
    ['an unmapped channel the default', rights({ defaultChannel: ALL }), inSlack({ channel: 'C_OTHER' }), LLM, 'full'],
    ['a channel without a map and default nothing', rights(), inSlack(), LLM, 'refused'],
    ['a shared channel the verdict alone', rights({ defaultChannel: ALL }), SHARED, LLM, 'verdict-only'],
    ['a shared channel nothing that is not its own', rights(), SHARED, LLM, 'refused'],
    ['the terminal what its kubeconfig may', rights(), inTerminal, LLM, 'full'],
    ['anybody the help', rights(), inSlack(), undefined, 'full'],
  ])('%s', (_name, given, actor, target, expected) => {
    for (const verb of READ_VERBS.filter((one) => one !== 'help')) {
      const answer = authorise(given, actor, verb, target);
      expect(answer.kind === 'allowed' ? answer.evidence : answer.kind).toBe(expected);
    }
  });

  it('that is refused says why and what to do', () => {
    expect(authorise(rights(), inSlack(), 'triage', LLM)).toEqual({
      kind: 'refused',
      why: 'This channel may not read prod/llm-a.',
      next: expect.stringContaining('`channels`'),
    });
  });
});

describe('acting', () => {
  const APPROVER = inSlack({ user: 'U_APPROVER' });
  const rule = { users: ['U_APPROVER'], groups: ['S_SRE'], verbs: ['approve' as const], scope: scope('llm-*') };

  it.each<[string, Rights['act'], Actor, Target | undefined, boolean]>([
    ['nobody without a rule', [], inSlack({ user: 'U_APPROVER' }), LLM, false],
    ['nobody by empty lists', [{ ...rule, users: [], groups: [] }], inSlack({ user: 'U_APPROVER' }), LLM, false],
    ['a user by name', [rule], inSlack({ user: 'U_APPROVER' }), LLM, true],
    ['a group', [rule], inSlack({ groups: ['S_SRE'] }), LLM, true],
    ['not a stranger', [rule], inSlack({ user: 'U_STRANGER' }), LLM, false],
    ['not a user who is called as a group is', [rule], inSlack({ user: 'S_SRE' }), LLM, false],
    ['no pattern stands for users', [{ ...rule, users: ['*'] }], inSlack({ user: 'U_STRANGER' }), LLM, false],
    ['not in another namespace', [rule], inSlack({ user: 'U_APPROVER' }), { cluster: 'prod', namespace: 'web' }, false],
    ['not in no namespace', [{ ...rule, scope: scope() }], inSlack({ user: 'U_APPROVER' }), LLM, false],
    ['the action that is listed', [{ ...rule, actions: ['scale-up'] }], APPROVER, { ...LLM, action: 'scale-up' }, true],
    ['no other action', [{ ...rule, actions: ['scale-up'] }], APPROVER, { ...LLM, action: 'set-args' }, false],
    ['every action where none is listed', [rule], APPROVER, { ...LLM, action: 'set-args' }, true],
    [
      'by the rule that has both the place and the action',
      [
        { ...rule, actions: ['scale-up'] },
        { ...rule, actions: ['set-args'], scope: scope('web') },
      ],
      APPROVER,
      { ...LLM, action: 'set-args' },
      false,
    ],
    ['not the terminal without a rule', [], inTerminal, LLM, false],
    ['the terminal by its user', [{ ...rule, users: ['U_ONCALL'] }], inTerminal, LLM, true],
    ['not the terminal by a forged group', [rule], { ...inTerminal, groups: ['S_SRE'] } as Actor, LLM, false],
  ])('%s', (_name, act, actor, target, allowed) => {
    expect(authorise(rights({ act }), actor, 'approve', target).kind).toBe(allowed ? 'allowed' : 'refused');
  });

  it('is not given by the right to read', () => {
    for (const verb of ACT_VERBS) {
      expect(authorise(rights({ defaultChannel: ALL }), inSlack(), verb, LLM).kind).toBe('refused');
    }
  });

  it('is not joined from two rules', () => {
    const act = [
      { ...rule, scope: scope('web') },
      { ...rule, users: ['U_ONCALL'], groups: [] },
    ];

    expect(authorise(rights({ act }), inSlack({ user: 'U_APPROVER' }), 'approve', LLM).kind).toBe('refused');
  });
});

describe('the approvers of a plan', () => {
  const rule = (groups: string[], over: Partial<Rights['act'][number]> = {}): Rights['act'][number] => ({
    users: [],
    groups,
    verbs: ['approve'],
    scope: scope('llm-a'),
    ...over,
  });
  const act = [
    rule(['S_APPROVERS']),
    rule(['S_APPROVERS', 'S_LEADS'], { users: ['U_APPROVER'], scope: ALL }),
    rule(['S_ONCALL'], { verbs: ['plan', 'abort'] }),
    rule(['S_OTHER'], { scope: scope('embeddings') }),
    rule(['S_SCALERS'], { actions: ['scale-up'] }),
  ];

  it('are those whom a rule lets approve this action there, each once', () => {
    const people = { users: ['U_APPROVER'] };
    expect(approversFor(rights({ act }), LLM)).toEqual({ groups: ['S_APPROVERS', 'S_LEADS', 'S_SCALERS'], ...people });
    const asked = approversFor(rights({ act }), { ...LLM, action: 'set-args' });
    expect(asked).toEqual({ groups: ['S_APPROVERS', 'S_LEADS'], ...people });
  });
});
