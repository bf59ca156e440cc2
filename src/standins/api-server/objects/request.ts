/** A request as it came in; `bytes` of the answer's body and `status` are known once it is answered. */
export type ApiRequest = {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly userAgent: string;
  status: number;
  bytes: number;
};
