import {
  type ClickInput,
  type CommandInput,
  clickOf,
  closingOf,
  commandOf,
  openViewOf,
  type PayloadStage,
  type ShortcutInput,
  type SubmitInput,
  shortcutOf,
  submissionOf,
  TYPIST,
} from './payloads.ts';
import { nextNumber, nextTs, type OpenView, type SlackState } from './state.ts';
import { closeView, openView, replaceView } from './views.ts';

/** What came back within Slack's three seconds. `body` is the ack: text, an object, or nothing. */
export type Delivery = { readonly status: number; readonly body: unknown; readonly ms: number };

/** One way to the app: HTTP with signatures, or Socket Mode. */
export type Deliver = (
  kind: 'slash_commands' | 'interactive' | 'events_api',
  body: Record<string, unknown>,
) => Promise<Delivery>;

/** People at their keyboards: types commands, clicks buttons, opens the Home tab. Rejects if no ack comes in time. */
export type Sender = {
  command(input: CommandInput): Promise<Delivery>;
  shortcut(input: ShortcutInput): Promise<Delivery>;
  /** Clicks the button with this action id in a message that the stand-in holds. */
  click(input: ClickInput): Promise<Delivery>;
  /** Sends a form off. What comes back closes it, shows errors in it, or puts another in its place. */
  submit(input: SubmitInput): Promise<Delivery>;
  /** Closes the topmost form of a person. */
  dismiss(user: string): Promise<void>;
  openHome(user?: string): Promise<Delivery>;
  event(event: Record<string, unknown>, more?: Record<string, unknown>): Promise<Delivery>;
};

type SenderOptions = Omit<PayloadStage, 'state'> & { readonly deliver: Deliver; readonly changed?: () => void };

export function createSender(state: SlackState, options: SenderOptions): Sender {
  const stage: PayloadStage = { state, ...options };
  const deliver = recorded(state, options);
  const event: Sender['event'] = (event, more) =>
    deliver('events_api', {
      type: 'event_callback',
      team_id: state.team,
      api_app_id: 'A_APP',
      event_id: `Ev${nextNumber(state)}`,
      event_time: Math.floor(options.now() / 1000),
      event,
      ...more,
    });

  return {
    async command(input) {
      const body = commandOf(stage, input);
      const delivery = await deliver('slash_commands', body);
      keepAck(stage, { channel: body.channel_id, user: body.user_id }, delivery);
      return delivery;
    },
    shortcut: (input) => deliver('interactive', shortcutOf(stage, input)),
    click: (input) => deliver('interactive', clickOf(stage, input)),
    async submit(input) {
      const { view, user = TYPIST } = input;
      const delivery = await deliver('interactive', submissionOf(stage, input));
      const open = openViewOf(state, user, view);
      if (open !== undefined && delivery.status === 200) followAck(state, open, delivery.body);
      return delivery;
    },
    async dismiss(user) {
      const open = state.openViews.get(user)?.at(-1);
      closeView(state, user);
      if (open?.view.notify_on_close === true) await deliver('interactive', closingOf(stage, open));
    },
    openHome: (user = TYPIST) =>
      event({ type: 'app_home_opened', user, channel: 'D_HOME', tab: 'home', event_ts: '1.000001' }),
    event,
  };
}

// Every delivery with its ack, or without one.
function recorded(state: SlackState, { deliver, now, monotonic, changed }: SenderOptions): Deliver {
  return async (kind, body) => {
    const began = monotonic();
    const at = now();
    const record = ({ status, ms }: Pick<Delivery, 'status' | 'ms'>) => {
      state.deliveries.push({ what: wordsOf(kind, body), user: userOf(body), at, status, ms });
    };
    try {
      const delivery = await deliver(kind, body);
      record(delivery);
      return delivery;
    } catch (error) {
      record({ status: 0, ms: monotonic() - began });
      throw error;
    } finally {
      changed?.();
    }
  };
}

function wordsOf(kind: string, body: Record<string, unknown>): string {
  if (kind === 'slash_commands') return `${body.command} ${body.text}`.trim();
  if (kind === 'events_api') return String((body.event as { type?: unknown }).type);
  const [action] = (body.actions ?? []) as { action_id?: string }[];
  const view = body.view as { callback_id?: string } | undefined;
  return [body.type, action?.action_id ?? view?.callback_id ?? body.callback_id].filter(Boolean).join(' ');
}

function userOf(body: Record<string, unknown>): string {
  const [user, event] = [body.user, body.event] as { id?: string; user?: string }[];
  return String(body.user_id ?? user?.id ?? event?.user ?? '');
}

// What an ack shows, only the person who typed sees.
function keepAck({ state, now }: PayloadStage, to: { channel: string; user: string }, delivery: Delivery): void {
  const { body } = delivery;
  const text = typeof body === 'string' ? body : (body as { text?: string } | undefined)?.text;
  if (delivery.status === 200 && text !== undefined && text !== '')
    state.ephemerals.push({ ...to, ts: nextTs(state, now()), via: 'ack', text, blocks: [] });
}

type ViewAck = { readonly response_action?: string; readonly view?: OpenView['view'] };

function followAck(state: SlackState, open: OpenView, body: unknown): void {
  const { response_action: action, view } = (typeof body === 'object' && body !== null ? body : {}) as ViewAck;
  if (action === 'errors') return;
  if (action === 'update' && view !== undefined) replaceView(state, open, view);
  else if (action === 'push' && view !== undefined) openView(state, open.user, view, { alone: false });
  else closeView(state, open.user, action === 'clear' ? 'all' : 'top');
}
