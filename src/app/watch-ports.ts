/** Which pods of a cluster are watched. `selector` is a label selector as kubectl takes it; undefined: all of the namespace. */
export type WatchScope = { readonly namespace: string; readonly selector: string | undefined };

/** How an instance of a container ended; times are epoch ms. */
export type ContainerEnd = {
  /** The id that the runtime gave this instance; empty where it gave none. */
  readonly containerId: string;
  readonly reason: string;
  readonly exitCode: number;
  readonly startedAt: number | undefined;
  readonly finishedAt: number | undefined;
};

/** What a watch keeps of a pod, and no more: under a kilobyte, whatever the object holds. Times are epoch ms. */
export type WatchedPod = {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  /** The uid of the controller that owns it; its own where none does. Replicas of one workload share it. */
  readonly owner: string;
  readonly node: string | undefined;
  readonly ready: boolean;
  readonly createdAt: number;
  /** `status.reason` of a pod that failed as a whole, such as `Evicted`. */
  readonly failed: string | undefined;
  /** True from the deletion request on. */
  readonly leaving: boolean;
  readonly containers: readonly {
    readonly name: string;
    readonly restarts: number;
    /** The end of the last instance: its current state where it is not restarted, else its last state. */
    readonly ended: ContainerEnd | undefined;
  }[];
};

/** What a watch tells, in the order in which the API server told it. Must not throw; a call may be repeated after a relist. */
export type WatchHandler = {
  /** All pods of the scope, after the first list and after each relist. */
  listed(pods: readonly WatchedPod[]): void;
  changed(pod: WatchedPod): void;
  gone(pod: WatchedPod): void;
  /** A sign of life: an event or a bookmark. `connected` false: the connection is lost and will be tried again. */
  alive(connected: boolean, why?: string): void;
  /** An object that does not parse was left out. */
  unreadable(): void;
};

/** Watches pods of one cluster. */
export interface PodWatch {
  /** Ends when `signal` does. Never rejects: what the API server does is told to `handler` and tried again. */
  run(scope: WatchScope, handler: WatchHandler, signal: AbortSignal): Promise<void>;
}

export type LeaseClaim = {
  readonly namespace: string;
  readonly name: string;
  readonly holder: string;
  readonly seconds: number;
};

/**
 * `held`: it is ours for `seconds` from the moment before the request was sent, by our own monotonic clock. `other`: another one
 * renewed it lately, as far as we have seen it change; a clock that differs from ours does not matter.
 */
export type LeaseAnswer =
  | { readonly kind: 'held' }
  | { readonly kind: 'other'; readonly holder: string }
  | { readonly kind: 'unknown'; readonly why: string };

/** A Lease (`coordination.k8s.io/v1`) of one cluster. Never throws. */
export interface Leases {
  /** Takes it, or renews it where it is ours. */
  claim(claim: LeaseClaim, signal: AbortSignal): Promise<LeaseAnswer>;
  /** Gives it back if it is ours, so that another replica need not wait for it to run out. */
  release(claim: LeaseClaim, signal: AbortSignal): Promise<void>;
}
