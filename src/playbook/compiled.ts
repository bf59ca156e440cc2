import type { ActionEntry } from '../model/action-entry.ts';
import type { FactEntry, FactValue } from '../model/fact.ts';
import type { Cause, Phase, Plane } from '../model/taxonomy.ts';
import type { Topic } from '../model/topic.ts';
import type { Remedy } from '../model/verdict.ts';

/** What a playbook may mention, and the values that the configuration gives its thresholds. */
export type Catalogues = {
  readonly facts: readonly FactEntry[];
  readonly actions: readonly ActionEntry[];
  readonly thresholds?: Readonly<Record<string, number | string>>;
};

export type Order = 'above' | 'at-least' | 'below' | 'at-most';

/** What is asked of one fact. Marks are in the unit of the fact: bytes, seconds, shares from 0 to 1. */
export type FactTest =
  | { readonly kind: 'one-of'; readonly values: readonly FactValue[] }
  | { readonly kind: 'order'; readonly order: Order; readonly mark: number }
  | { readonly kind: 'known'; readonly wanted: boolean };

/** `text` reads as the condition stands in the file, with thresholds written out. */
export type FactCondition = {
  readonly kind: 'fact';
  readonly entry: FactEntry;
  readonly test: FactTest;
  readonly text: string;
};
export type Condition =
  | { readonly kind: 'all' | 'any'; readonly of: readonly Condition[] }
  | { readonly kind: 'not'; readonly of: readonly [Condition] }
  | FactCondition;

/** Text with facts in it. */
export type Template = readonly (string | FactEntry)[];

/** Text that stands only where it is for. */
export type Told = {
  readonly says: Template;
  readonly condition: Condition | undefined;
  /** What keeps it back where it is answered yes. */
  readonly unless: Condition | undefined;
};

export type Offer = Told & {
  readonly action: ActionEntry;
  readonly parameters: unknown;
  readonly kind: Remedy['kind'];
  readonly direction: Remedy['direction'];
  /** How much memory it frees; orders the offers of a kind. */
  readonly frees: FactEntry | undefined;
  /** The group of which only the first whose conditions hold is offered. */
  readonly firstOf: string | undefined;
};

/** What an offer puts before the cause of a finding, the facts that show it, and when it is proved to be the cause. */
export type Lead = {
  readonly says: Template | undefined;
  readonly proof: readonly FactEntry[];
  readonly proved: Condition | undefined;
};

/** An offer that goes with causes and not with one finding; with a lead it comes first. */
export type CommonOffer = Offer & { readonly causes: readonly Cause[]; readonly leads: Lead | undefined };

/** Causes that cannot be where the condition is answered yes. */
export type Impossible = { readonly causes: readonly Cause[]; readonly condition: Condition };

export type CauseSource =
  | { readonly kind: 'fixed'; readonly cause: Cause }
  | {
      readonly kind: 'fact';
      readonly entry: FactEntry;
      readonly among: readonly Cause[];
      readonly otherwise: Cause;
      /** Why plane and phase are proved where the fact names none of these. */
      readonly open: string | undefined;
    };

export type PhaseSource =
  | { readonly kind: 'fixed'; readonly phase: Phase }
  | { readonly kind: 'cause'; readonly otherwise: Phase }
  | {
      readonly kind: 'life';
      readonly life: FactEntry;
      readonly age: FactEntry;
      /** Ages of the process at which a failure under load is chronic. */
      readonly chronic: readonly string[];
    };

export type Finding = {
  readonly kind: 'finding';
  readonly id: string;
  readonly plane: Plane;
  readonly phase: PhaseSource;
  readonly cause: CauseSource;
  readonly mayBeCertain: boolean;
  /** Why plane and phase are proved where it is reached although its cause is only the likeliest. */
  readonly causeOpen: string | undefined;
  readonly headline: Template;
  /** A text that is the headline where it is known and this is the finding. */
  readonly named: FactEntry | undefined;
  readonly says: Template;
  readonly alternatives: readonly Cause[];
  readonly next: readonly Told[];
  readonly proof: readonly FactEntry[];
  readonly offers: readonly Offer[];
  /** Why there is no offer of a kind. */
  readonly without: readonly { readonly kind: Remedy['kind']; readonly why: string }[];
};

/** Questions hold what they lead to, not its name: a walk has nothing to look up and cannot run in circles. */
export type Target = Question | Finding;

/** What the way to a finding says of it: confidence and phase come from the walk. */
export type Marks = {
  readonly guess: boolean;
  /** Why the cause is only likely although the memory is certain. */
  readonly open: string | undefined;
  readonly phase: Phase | undefined;
};

export type Branch = {
  readonly id: string;
  readonly condition: Condition;
  readonly then: Target;
  readonly marks: Marks;
  readonly doesNotDoubt: string | undefined;
  readonly opensCause: string | undefined;
  readonly settles: string | undefined;
};

export type Question = {
  readonly kind: 'question';
  readonly id: string;
  readonly ask: string;
  readonly branches: readonly Branch[];
  readonly otherwise: Target;
  readonly otherwiseMarks: Marks;
};

/** A playbook that passed the checks. `hash` is that of the texts of its files. */
export type Playbook = {
  readonly name: string;
  readonly version: number;
  readonly hash: string;
  readonly start: Question;
  /** In the order of the file. */
  readonly questions: readonly Question[];
  readonly findings: readonly Finding[];
  readonly offers: readonly CommonOffer[];
  readonly impossible: readonly Impossible[];
  readonly topics: readonly KnownTopic[];
};

/** A popular fix that does not help, the words that find it, and the causes that it is shown with. */
export type KnownTopic = {
  readonly topic: Topic;
  readonly keys: readonly string[];
  readonly causes: readonly Cause[];
  readonly engines: readonly string[] | undefined;
};
