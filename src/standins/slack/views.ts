import { validateHome, validateView } from '../../slack/limits/message-limits.ts';
import { type Answer, type ApiContext, type Args, type Method, refuse, refuseProblems, textOf } from './api-context.ts';
import { nextNumber, type OpenView, type SlackState, type Trigger } from './state.ts';

const TRIGGER_MS = 3000;
const MOST_VIEWS = 3;

/** `views.*`: modals, which a trigger id opens once and within three seconds, and the Home tab. */
export const VIEW_METHODS: Readonly<Record<string, Method>> = {
  'views.open': (context, args) => {
    const refusal = refuseProblems(validateView(args.view));
    const trigger = exchange(context, args.trigger_id);
    if (typeof trigger === 'string') return refuse(trigger);
    if (refusal !== undefined) return refusal;
    return shown(openView(context.state, trigger.user, args.view as OpenView['view'], { alone: true }));
  },
  'views.push': (context, args) => {
    const refusal = refuseProblems(validateView(args.view));
    const trigger = exchange(context, args.trigger_id);
    if (typeof trigger === 'string') return refuse(trigger);
    if (refusal !== undefined) return refusal;
    const open = context.state.openViews.get(trigger.user) ?? [];
    if (open.length === 0) return refuse('not_found');
    if (open.length >= MOST_VIEWS) return refuse('push_limit_reached');
    return shown(openView(context.state, trigger.user, args.view as OpenView['view'], { alone: false }));
  },
  'views.update': updateView,
  'views.publish': ({ state }, args) => {
    const refusal = refuseProblems(validateHome(args.view));
    if (refusal !== undefined) return refusal;
    state.homes.set(String(args.user_id), args.view as Record<string, unknown>);
    return { ok: true, view: args.view };
  },
};

function exchange({ state, monotonic }: ApiContext, id: unknown): Trigger | string {
  const trigger = state.triggers.get(String(id));
  if (trigger === undefined) return 'invalid_trigger_id';
  if (trigger.isUsed) return 'exchanged_trigger_id';
  if (monotonic() - trigger.since > TRIGGER_MS) return 'expired_trigger_id';
  trigger.isUsed = true;
  return trigger;
}

/** Puts a modal on somebody's screen: instead of those there, or on top of them. */
export function openView(
  state: SlackState,
  user: string,
  view: OpenView['view'],
  { alone }: { readonly alone: boolean },
): OpenView {
  const number = nextNumber(state);
  const opened: OpenView = { id: `V${number}`, user, hash: `${number}.view`, view };
  state.views.push(view);
  state.openViews.set(user, [...(alone ? [] : (state.openViews.get(user) ?? [])), opened]);
  return opened;
}

function updateView({ state }: ApiContext, args: Args): Answer {
  const id = textOf(args.view_id);
  const open = [...state.openViews.values()].flat().find((one) => one.id === id);
  if (open === undefined) return refuse('not_found');
  if (args.hash !== undefined && args.hash !== open.hash) return refuse('hash_conflict');
  const refusal = refuseProblems(validateView(args.view));
  if (refusal !== undefined) return refusal;
  replaceView(state, open, args.view as OpenView['view']);
  return shown(open);
}

export function replaceView(state: SlackState, open: OpenView, view: OpenView['view']): void {
  state.views.push(view);
  open.view = view;
  open.hash = `${nextNumber(state)}.view`;
}

/** Takes the topmost modal off the screen, or all of them. */
export function closeView(state: SlackState, user: string, which: 'top' | 'all' = 'top'): void {
  state.openViews.set(user, which === 'all' ? [] : (state.openViews.get(user) ?? []).slice(0, -1));
}

function shown({ id, hash, view }: OpenView): Answer {
  return { ok: true, view: { ...view, id, hash } };
}
