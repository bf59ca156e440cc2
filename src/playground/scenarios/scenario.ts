import type { EngineService } from '../engine/engine-service.ts';
import type { TrafficShape } from '../engine/traffic.ts';

/**
 * One incident to try oombot on, as data: the simulated engines, their traffic, what happens and what a person does.
 * `openScenario(name, options)` of open-scenario.ts starts it on loopback.
 */
export type Scenario = {
  /** Kebab-case, as typed after `oom demo`: `vllm-burst`. */
  readonly name: string;
  /** One sentence for the list. */
  readonly says: string;
  /** The workload of the incident is the first one. */
  readonly services: readonly EngineService[];
  /** Requests of each service by name. */
  readonly traffic: Readonly<Record<string, TrafficShape>>;
  /** Minutes that have passed, with everything in `happens`, when the scenario opens. */
  readonly historyMinutes: number;
  /** In the order of `atMinute`, counted from the start of the history. */
  readonly happens: readonly Happening[];
  /** What somebody does in the channel, in this order. */
  readonly steps: readonly Step[];
  /** Who may do what, as lines of the bot's configuration; without it, DEFAULT_RIGHTS. */
  readonly rights?: readonly string[];
  /** More of the section `acting` of that configuration: `approvals: 2`. */
  readonly acting?: readonly string[];
  readonly expect: Expected;
};

export type Happening = { readonly atMinute: number } & (
  | { readonly kind: 'traffic'; readonly service: string; readonly shape: TrafficShape }
  /** A rollout of another team: `helm` sets values in the pod template of the service. */
  | { readonly kind: 'rollout'; readonly service: string; readonly by: string; readonly set: RolloutChange }
  /** Sets back what others change, as an autoscaler does with the replicas, or Argo CD with the whole spec. */
  | { readonly kind: 'revert'; readonly service: string; readonly by: string; readonly what: 'replicas' | 'spec' }
);

export type RolloutChange = {
  /** Flag and value; null removes the flag. */
  readonly flags?: Readonly<Record<string, string | null>>;
  readonly memory?: string;
};

export type Person = 'U_ONCALL' | 'U_APPROVER' | 'U_STRANGER';

export type Step =
  | { readonly kind: 'type'; readonly as: Person; readonly text: string }
  | { readonly kind: 'click'; readonly as: Person; readonly button: string }
  | { readonly kind: 'restart-bot' }
  /** Waits until the newest message of the bot matches. */
  | { readonly kind: 'until'; readonly says: RegExp };

/** What a test asserts; a `cause` is an id of the taxonomy, as in `oom triage --json`. */
export type Expected = {
  readonly cause: string;
  /**
   * `survives`: the planned change ends the crashes under the same traffic. `applied`: it replaces what is broken, and the next
   * burst breaks it again. `reverted`: another controller undoes the change. `none`: no change is offered or applied.
   */
  readonly ending: 'survives' | 'applied' | 'reverted' | 'rolled-back' | 'none';
};
