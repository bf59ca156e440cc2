import type { EditedValue, EditForm } from '../../app/acting/plan/edit-form.ts';
import type { IncidentForm } from '../../app/chat/incident-verbs.ts';
import type { Asker } from '../../app/ports.ts';
import type { MessageRef } from '../../model/incident.ts';
import type { Asked } from '../../model/kept-request.ts';
import type { Message } from '../../model/message.ts';

/**
 * Who asked, where, and with which words. `teamId` is the workspace of the asker (undefined for org-wide installs).
 * `externallyShared` is true unless the payload or Slack says that the channel is shared with no other organization.
 */
export type SlackRequest = {
  readonly text: string;
  readonly asker: Asker;
  readonly channel: string;
  readonly teamId: string | undefined;
  readonly externallyShared: boolean;
  /** The message that bears the button; nobody but the asker sees an ephemeral one, and it cannot be changed. */
  readonly clicked?: MessageRef | undefined;
  /** Under which it is stored until it is answered. */
  readonly kept?: string | undefined;
};

/** A request as its payload gives it: `externallyShared` is undefined where that does not say. */
export type PayloadRequest = Omit<SlackRequest, 'externallyShared'> & {
  readonly externallyShared: boolean | undefined;
};

/** What the Slack edge calls; the composition root passes the use cases. A rejection is answered to the asker in words. */
export interface SlackUseCases {
  /** The words shown at once, before any work. Pure and quick: no I/O, no waiting. Undefined shows nothing. */
  receipt(request: SlackRequest): string | undefined;
  /** Stores a request before it is acknowledged, so that a restart does not lose it; answers under which id. Never rejects, and ends within a second. */
  keep?(asked: Asked, request: PayloadRequest): Promise<string | undefined>;
  /** It is answered. Never rejects. */
  release?(id: string): Promise<void>;
  /** The raw text after the slash command. Answers through the Chat port. */
  command(request: SlackRequest): Promise<void>;
  /** The text of a message, with its blocks and attachments, that someone chose "Triage OOM" on. */
  shortcut(request: SlackRequest): Promise<void>;
  /** One of several pods was chosen; `text` is the value of that choice. */
  candidate(request: SlackRequest): Promise<void>;
  /** The button of a finding that asks for its way; `text` is the value of that choice. */
  explain(request: SlackRequest): Promise<void>;
  /** A button of a plan or of a run; `text` is the value of that choice. */
  act(verb: 'plan' | 'approve' | 'reject' | 'rollback' | 'abort' | 'go-on', request: SlackRequest): Promise<void>;
  /** The values of a plan to be edited; undefined where the asker has been told why not. */
  editForm(request: SlackRequest): Promise<EditForm | undefined>;
  /** What a dialog about the incident `text` shows; undefined where the asker has been told why not. */
  incidentForm(kind: IncidentForm['kind'], request: SlackRequest): Promise<IncidentForm | undefined>;
  /** A form of such values that was sent. */
  edited(form: { planId: string; values: readonly EditedValue[] }, request: SlackRequest): Promise<void>;
  /** What the Home tab of this person shows, in order; `page` is the value of the button that turns it. */
  home(user: string, page?: string): Promise<readonly Message[]>;
}
