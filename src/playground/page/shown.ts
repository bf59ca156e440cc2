import type { ClusterState } from '../cluster/cluster-state.ts';
import type { ShownMessage } from './shown-message.ts';

// What the server shows and what the page asks it to do. The page gets one object of entries by key, and then each entry
// that changes; null takes one away.

export type Feed = Readonly<Record<string, unknown>>;

export type ShownEntries = {
  readonly playground: {
    readonly scenario: string;
    readonly says: string;
    /** What the composer begins with. */
    readonly suggestion: string;
    readonly scenarios: readonly { readonly name: string; readonly says: string }[];
    readonly speed: number;
    readonly people: readonly { readonly id: string; readonly name: string; readonly role: string }[];
    readonly names: {
      readonly users: Readonly<Record<string, string>>;
      readonly groups: Readonly<Record<string, string>>;
    };
    readonly channel: string;
    /** Folders whose playbooks take effect at the next triage. */
    readonly playbooks: readonly string[];
    /** Traffic compared with the scenario's own. */
    readonly traffic: number;
  };
  readonly bot: 'stopped' | 'starting' | 'running';
  readonly cluster: ClusterState;
  /** The newest last. */
  readonly calls: readonly ShownCall[];
  readonly news: readonly ShownNews[];
};

/** One call: of the bot to Slack or the cluster, or of Slack to the bot. */
export type ShownCall = {
  readonly id: number;
  readonly at: number;
  readonly kind: 'to Slack' | 'from Slack' | 'to cluster';
  readonly what: string;
  /** `ok`, Slack's error, or an HTTP status. */
  readonly answer: string;
  readonly failed: boolean;
  /** Until the bot's ack. */
  readonly ackMs?: number;
};

export type ShownNews = { readonly id: number; readonly level: 'info' | 'warn' | 'error'; readonly says: string };

/** A message with where it stands: key `message/<ts>`. */
export type ChannelMessage = ShownMessage & {
  readonly ts: string;
  readonly user: string;
  readonly threadTs?: string | undefined;
  readonly isEdited?: boolean;
  readonly file?: { readonly name: string; readonly title: string; readonly bytes: number; readonly href: string };
  /** What Slack counts, against its limits. */
  readonly counts?: { readonly blocks: number; readonly characters: number };
};

/** What a person does on the page: posted as JSON, answered with Outcome. */
export type Deed =
  | { readonly kind: 'type'; readonly as: string; readonly text: string; readonly thread?: string | undefined }
  | {
      readonly kind: 'click';
      readonly as: string;
      /** Of the message, or `home`. */
      readonly on: string;
      readonly action: string;
      readonly block?: string | undefined;
      readonly line?: string | undefined;
    }
  | { readonly kind: 'triage'; readonly as: string; readonly on: string }
  | { readonly kind: 'submit'; readonly as: string; readonly view: string; readonly values: Record<string, string> }
  | { readonly kind: 'dismiss'; readonly as: string }
  | { readonly kind: 'home'; readonly as: string }
  | { readonly kind: 'scenario'; readonly name: string }
  | { readonly kind: 'bot'; readonly what: 'kill' | 'start' }
  | { readonly kind: 'speed'; readonly speed: number }
  | { readonly kind: 'traffic'; readonly factor: number }
  | { readonly kind: 'fault'; readonly fault: FaultName };

/** What goes wrong with the bot's next calls of Slack. */
export const FAULTS = {
  'rate-limited': 'next call: 429, retry after 5 s',
  'http-500': 'next call: HTTP 500',
  slow: 'next call: answer after 4 s',
  lost: 'next call: done, but the answer is lost',
  'not-in-channel': 'bot leaves or joins the channel',
} as const;
export type FaultName = keyof typeof FAULTS;

/** `errors` by block id stay in the form; `says` is for the person. */
export type Outcome =
  | { readonly ok: true }
  | { readonly ok: false; readonly says: string }
  | { readonly ok: false; readonly errors: Readonly<Record<string, string>> };
