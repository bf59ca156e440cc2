/** A message as the page draws it. */
export type ShownMessage = {
  readonly id: string;
  readonly text: string;
  readonly blocks: readonly Record<string, unknown>[];
  /** Seconds since 1970 as Slack writes them. */
  readonly ts?: string;
  /** Who alone sees it. */
  readonly onlyFor?: string;
};

export type Gallery = {
  readonly messages: readonly ShownMessage[];
  readonly names: {
    readonly users: Readonly<Record<string, string>>;
    readonly groups: Readonly<Record<string, string>>;
  };
};
