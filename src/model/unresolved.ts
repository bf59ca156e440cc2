/** A pod that may have been meant; `state` in a word, as kubectl shows it. */
export type PodCandidate = { readonly namespace: string; readonly pod: string; readonly state: string };

/** A workload without pods: `replicas` wanted, and why they cannot be created, in the words of the API server. */
export type IdleWorkload = {
  readonly namespace: string;
  readonly workload: string;
  readonly replicas: number | undefined;
  readonly why: string | undefined;
};

/** Why there is nothing to diagnose: each is answered with words and the next step. `searchedPods` is how many pods were looked at, where there are more. */
export type Unresolved =
  | {
      readonly kind: 'ambiguous';
      readonly candidates: readonly PodCandidate[];
      readonly searchedPods?: number;
      readonly cluster: string;
    }
  | {
      readonly kind: 'not-found';
      /** As it was asked for. */
      readonly pod: string;
      readonly nearest: readonly PodCandidate[];
      readonly searched: readonly string[];
      readonly searchedPods?: number;
      readonly cluster: string;
    }
  | ({ readonly kind: 'no-pods'; readonly cluster: string } & IdleWorkload)
  | {
      readonly kind: 'forbidden';
      readonly searched: readonly string[];
      readonly rule: string;
      readonly manifest?: string | undefined;
      readonly cluster: string;
    }
  | { readonly kind: 'refused'; readonly why: string; readonly next: string };
