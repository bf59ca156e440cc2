import type { Hazard, ObjectRef } from '../../model/plan.ts';
import type { Change } from '../change.ts';
import type { LiveRef, ObjectHead, Place } from './read-object.ts';

/** How the number of replicas is changed; the object is not always the owner. */
export type ScaleWay =
  | (Place & {
      readonly kind: 'count';
      readonly path: string;
      readonly now: number;
      /** One engine over all of them: a single one of them never serves. */
      readonly together?: boolean;
    })
  /** An annotation that stops the whole workload; there is no count to set. `now` is how many it runs when it runs. */
  | (Place & {
      readonly kind: 'stop';
      readonly annotation: string;
      readonly isStopped: boolean;
      readonly now: number;
      readonly first: FirstWay;
    })
  | { readonly kind: 'none'; readonly why: string; readonly paste?: string };

/** How one replica is started before the others: by numbers that are set to 1 and back; or why it is not. */
export type FirstWay =
  | { readonly kind: 'by-range'; readonly paths: readonly string[] }
  | { readonly kind: 'together'; readonly why: string };

/** The engine's container in one pod template. */
export type ContainerPlace = Place & {
  /** JSON pointer of the container. */
  readonly path: string;
  readonly value: unknown;
  readonly name: string | null;
  /** Workers of a group need not run the engine's command themselves. */
  readonly role: 'engine' | 'worker';
};

/** Where the arguments stand. */
export type ArgsWay =
  | {
      readonly kind: 'container';
      readonly entrypoint: 'engine' | 'unknown';
      /** An operator puts its own arguments before these, so that some may be added where there are none. */
      readonly mayAddArgs: boolean;
      /** Of words that are not found here. */
      readonly elsewhere?: Elsewhere;
    }
  /** A ConfigMap that the owner names at `path`; a change is a new one under a new name. */
  | (Place & {
      readonly kind: 'config-map';
      readonly path: string;
      readonly name: string;
      readonly key: string;
      readonly section: string;
      readonly map: unknown;
    })
  | { readonly kind: 'none'; readonly says: string; readonly paste: string | null };

/** Where arguments stand that are not in the container, and what to type to set some words. */
export type Elsewhere = { readonly says: string; pasteWith(words: readonly string[]): string };

/** How replicas are replaced while others serve. */
export type RollWay =
  /** One at a time, broken ones first, once the settings are so; `calm` is null where they are. */
  | { readonly kind: 'broken-first'; readonly calm: Change | null; readonly surge: Change | null }
  /** One at a time from the highest number down; a broken one below stops it. `partition` sets from which number on. */
  | { readonly kind: 'from-the-top'; readonly calm: Change | null; partition: ((from: number) => Change) | null }
  | { readonly kind: 'none'; readonly why: string; readonly byHand?: RollByHand };

/** What a person who rolls it out has to know, and what belongs into the same patch. */
export type RollByHand = { readonly says: string; readonly extra: Change | null };

/** A workload of a kind that is written. */
export type Owner = {
  readonly kind: 'owner';
  readonly head: ObjectHead;
  readonly object: unknown;
  readonly scale: ScaleWay;
  /** Pod templates that may be written: pointers in an object. None where the kind makes its own. */
  readonly templates: readonly (Place & { readonly path: string })[];
  readonly containers: readonly ContainerPlace[];
  readonly args: ArgsWay;
  readonly roll: RollWay;
  /** Pods of one replica: the size of a group. */
  readonly podsPerReplica: number;
  readonly hazards: readonly Hazard[];
  /** What to type for what is not written: variables, and the memory limit. */
  readonly byHand?: { env(words: readonly string[]): string; memory(to: string): string };
};

/** Of any other kind nothing is written; a person gets what to type. */
export type PasteOwner = {
  readonly kind: 'paste';
  readonly ref: ObjectRef | null;
  readonly says: string;
  readonly command: string;
};

/** What an adapter reads an owner from. */
export type OwnerSource = {
  readonly head: ObjectHead;
  readonly ref: LiveRef;
  readonly object: unknown;
  /** Name of the engine's container as the evidence has it. */
  readonly container: string | null;
  /** Other objects that were read around it. */
  readonly surroundings: readonly unknown[];
};

/** One kind of owner, and how it is read. */
export type OwnerKind = {
  readonly group: string;
  readonly kind: string;
  read(source: OwnerSource): Owner;
};
