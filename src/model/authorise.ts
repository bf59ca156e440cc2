import { z } from 'zod';
import { ActionId } from './action.ts';

/** Verbs that change nothing in a cluster are allowed per place; acting verbs per person. */
export const READ_VERBS = [
  'triage',
  'explain',
  'status',
  'history',
  'export',
  'fix',
  'changes',
  'handover',
  'silence',
  'ack',
  'resolve',
  'feedback',
  'help',
] as const;
export const ACT_VERBS = ['plan', 'approve', 'rollback', 'abort', 'pause', 'resume'] as const;
export type Verb = (typeof READ_VERBS)[number] | (typeof ACT_VERBS)[number];

/** Where a person asks from: a Slack channel, or the terminal, which has the rights of its kubeconfig. */
export const Actor = z.discriminatedUnion('place', [
  z.strictObject({
    place: z.literal('slack'),
    user: z.string(),
    groups: z.array(z.string()),
    channel: z.string(),
    externallyShared: z.boolean(),
  }),
  z.strictObject({ place: z.literal('terminal'), user: z.string() }),
]);
export type Actor = z.infer<typeof Actor>;

/** Names may end in `*`. For acting an empty list means nobody; for reading, a channel without a rule reads what `default` says. */
export const Scope = z.strictObject({ clusters: z.array(z.string()), namespaces: z.array(z.string()) });
export type Scope = z.infer<typeof Scope>;

export const Rights = z.strictObject({
  channels: z.record(z.string(), Scope),
  defaultChannel: Scope.nullable(),
  act: z.array(
    z.strictObject({
      users: z.array(z.string()),
      groups: z.array(z.string()),
      verbs: z.array(z.enum(ACT_VERBS)),
      /** Those that the verbs are meant for; all where it is left out. */
      actions: z.array(ActionId).optional(),
      scope: Scope,
    }),
  ),
});
export type Rights = z.infer<typeof Rights>;

/** `action` is what is planned, approved, or rolled back. */
export type Target = { readonly cluster: string; readonly namespace: string; readonly action?: ActionId | undefined };

export type Permission =
  | { readonly kind: 'allowed'; readonly evidence: 'full' | 'verdict-only' }
  | { readonly kind: 'refused'; readonly why: string; readonly next: string };

/** The one place that decides who may do what, for commands, buttons, modals and the terminal. */
export function authorise(rights: Rights, actor: Actor, verb: Verb, target: Target | undefined): Permission {
  if (isActing(verb)) return authoriseActing(rights, actor, verb, target);
  if (actor.place === 'terminal' || verb === 'help' || target === undefined)
    return { kind: 'allowed', evidence: 'full' };
  const scope = rights.channels[actor.channel] ?? rights.defaultChannel;
  if (scope === null || !covers(scope, target)) {
    return {
      kind: 'refused',
      why: `This channel may not read ${target.cluster}/${target.namespace}.`,
      next: 'Ask in the channel of the team that owns it, or have the platform team map this channel to it (`channels` in the configuration).',
    };
  }
  return { kind: 'allowed', evidence: actor.externallyShared ? 'verdict-only' : 'full' };
}

function isActing(verb: Verb): verb is (typeof ACT_VERBS)[number] {
  return (ACT_VERBS as readonly string[]).includes(verb);
}

function authoriseActing(
  rights: Rights,
  actor: Actor,
  verb: (typeof ACT_VERBS)[number],
  target: Target | undefined,
): Permission {
  const here = rights.act.filter(
    (rule) =>
      rule.verbs.includes(verb) &&
      (rule.users.includes(actor.user) ||
        (actor.place === 'slack' && rule.groups.some((g) => actor.groups.includes(g)))) &&
      (target === undefined || covers(rule.scope, target)),
  );
  if (here.some(({ actions }) => hasAction(actions, target?.action))) return { kind: 'allowed', evidence: 'full' };
  const what = here.length > 0 && target?.action !== undefined ? `${target.action} ` : '';
  return {
    kind: 'refused',
    why: `You may not ${wordOf(verb)} ${what}here.`,
    next: 'Ask someone who may, or have the platform team add you (`act` in the configuration).',
  };
}

/** Groups and people whom the configuration lets approve this. */
export function approversFor(rights: Rights, target: Target): Approvers {
  const rules = rights.act.filter(
    ({ verbs, scope, actions }) =>
      verbs.includes('approve') && covers(scope, target) && hasAction(actions, target.action),
  );
  const all = (key: 'groups' | 'users') => [...new Set(rules.flatMap((rule) => rule[key]))];
  return { groups: all('groups'), users: all('users') };
}

export type Approvers = { readonly groups: readonly string[]; readonly users: readonly string[] };

/** A verb as it stands in a sentence. */
export function wordOf(verb: Verb): string {
  return verb === 'rollback' ? 'roll back' : verb;
}

function hasAction(allowed: readonly ActionId[] | undefined, action: ActionId | undefined): boolean {
  return allowed === undefined || action === undefined || allowed.includes(action);
}

export function covers(scope: Scope, target: Target): boolean {
  return matchesAny(scope.clusters, target.cluster) && matchesAny(scope.namespaces, target.namespace);
}

/** Whether one of the patterns is the name, or ends in `*` and begins it. */
export function matchesAny(patterns: readonly string[], name: string): boolean {
  return patterns.some((p) => (p.endsWith('*') ? name.startsWith(p.slice(0, -1)) : p === name));
}
