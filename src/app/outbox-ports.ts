import type { MessageRef } from '../model/incident.ts';
import type { KeptRequest } from '../model/kept-request.ts';
import type { Message } from '../model/message.ts';
import type { MessageKind } from './ports.ts';

/** A message that Slack has not confirmed yet. `ref` is null until one copy of it is known. */
export type UnsentMessage = {
  readonly id: string;
  readonly incidentId: string;
  readonly kind: MessageKind;
  readonly conversation: string;
  readonly thread: MessageRef | null;
  readonly ref: MessageRef | null;
  readonly message: Message;
};

export type RefusedMessage = Pick<UnsentMessage, 'incidentId' | 'kind' | 'conversation'>;

/** What a shift handover or a pause is stored under, which belongs to a channel and to no incident. */
export function shiftSubject(channel: string): string {
  return `shift/${channel}`;
}

/** Which copy of a message is the current one, and the copies that it supersedes. */
export type Adopted = { readonly isNew: boolean; readonly others: readonly MessageRef[] };

/** Messages are stored before they are posted, and their reference after. Slack itself is never read. */
export interface OutboxStore {
  /** Answers false, and stores nothing, where `once` is set and such a message of the incident is stored already, or another process has taken over `triage`. */
  queueMessage(unsent: UnsentMessage, once?: boolean, triage?: string): Promise<boolean>;
  /** Whether it is still this process that sends it. */
  holdsMessage(id: string): Promise<boolean>;
  /** Whether such a message of the incident is stored: unsent, posted, or a notice that Slack refused. */
  hasMessage(incidentId: string, kind: MessageKind): Promise<boolean>;
  /** Stores the place of a message. Answers the current copy where another one was adopted meanwhile, else undefined. */
  placeMessage(id: string, ref: MessageRef): Promise<MessageRef | undefined>;
  /**
   * It is tried again, as `newId`. A copy of a post may exist: a new row supersedes the old one. False where a copy was
   * adopted meanwhile, or a newer text took its place.
   */
  repostMessage(id: string, newId: string): Promise<boolean>;
  /** Slack refuses it for good. A card is forgotten, for its next change to post it; a notice is not queued once more. */
  dropMessage(id: string): Promise<void>;
  unsentMessages(): Promise<readonly UnsentMessage[]>;
  /** Notices about open incidents, and shift handovers, that Slack refused for good. */
  refusedMessages(): Promise<readonly RefusedMessage[]>;
  /** Makes a clicked copy the current message of its conversation. */
  adoptMessage(incidentId: string, kind: MessageKind, ref: MessageRef): Promise<Adopted>;
}

/** Ids of what a process was at that is gone. */
export type TakenOver = Readonly<Record<'messages' | 'triages' | 'requests', ReadonlySet<string>>>;

/** The processes that serve on one store. Each holds what it queues and starts, until another one takes it over. */
export interface ReplicaStore {
  /** Shows that this process is alive. Answers the time, epoch ms, by the clock that all of them share. */
  beat(): Promise<number>;
  /** At an orderly stop: what this process leaves open waits for nobody. */
  leave(): Promise<void>;
  /**
   * From now on this process holds what those had open that were seen last before `goneBefore`, epoch ms, and what a
   * release that named no holder began before `unheldBefore`: nothing of that where it is left out. One process gets it.
   */
  takeOver(goneBefore: number, unheldBefore?: number): Promise<TakenOver>;
}

/** Requests that were acknowledged and are not answered yet. What they change has its own audit rows. */
export interface RequestStore {
  keepRequest(request: KeptRequest): Promise<void>;
  releaseRequest(id: string): Promise<void>;
  /** Whether no other process has taken it over: this one has it, or has itself released it. */
  holdsRequest(id: string): Promise<boolean>;
  /** Marks it as carried out once more. */
  retryRequest(id: string): Promise<void>;
  keptRequests(): Promise<readonly KeptRequest[]>;
}
