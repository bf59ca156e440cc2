export type Names = {
  readonly users: Readonly<Record<string, string>>;
  readonly groups: Readonly<Record<string, string>>;
};

/** A message as the page draws it. */
export type ShownMessage = {
  readonly id: string;
  readonly text: string;
  readonly blocks: readonly Record<string, unknown>[];
  /** Seconds since 1970 as Slack writes them. */
  readonly ts?: string;
  /** Who wrote it, if it was not the bot. */
  readonly author?: string | undefined;
  /** Who alone sees it. */
  readonly onlyFor?: string | undefined;
};

/** A modal on somebody's screen: key `view/<user>`. */
export type ShownView = {
  readonly id: string;
  readonly title: string;
  readonly submit: string | undefined;
  readonly close: string;
  readonly blocks: readonly Record<string, unknown>[];
};

export type Gallery = {
  readonly messages: readonly ShownMessage[];
  /** A dialog, instead of messages. */
  readonly view?: ShownView;
  readonly names: Names;
};
