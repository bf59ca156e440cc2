/** A request that reached a port of the bot, as its handler sees it. */
export type PortRequest = {
  readonly method: string;
  readonly path: string;
  readonly authorization: string | undefined;
  /** Counts the request, and tells whether it is within those allowed in a minute. */
  isInRate(): boolean;
  /** Reads the body, once. */
  readBody(): Promise<PortBody>;
};

export type PortBody = { readonly kind: 'text'; readonly text: string } | { readonly kind: 'too-large' | 'cut-off' };

export type PortReply = {
  readonly status: number;
  readonly type: 'text/plain' | 'application/json';
  readonly body: string;
};

export type PortHandler = (request: PortRequest) => Promise<PortReply>;
