/** Why no connection came about or it ended, by the codes of Node and undici. */
export const CONNECTION_FAULTS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ECONNRESET: 'the connection was cut',
  EPIPE: 'the connection was cut',
  UND_ERR_SOCKET: 'the connection was cut',
  UND_ERR_CONNECT_TIMEOUT: 'it takes no connections',
  ENOTFOUND: 'its name is not known',
  EAI_AGAIN: 'its name could not be looked up',
  EHOSTUNREACH: 'there is no way to it',
  ENETUNREACH: 'there is no way to it',
};

/** Whether a code says that a server is not trusted. */
export function isUntrusted(code: string): boolean {
  return /^(?:ERR_TLS_|ERR_SSL_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|EPROTO)/.test(code);
}

/** The code of a fault, or of what is behind it, and the file it is about. */
export function codeOf(thrown: unknown, depth = 0): { code: string; path: string | undefined } {
  if (!(thrown instanceof Error)) return { code: '', path: undefined };
  if ('code' in thrown && typeof thrown.code === 'string') {
    return { code: thrown.code, path: 'path' in thrown && typeof thrown.path === 'string' ? thrown.path : undefined };
  }
  // Several addresses of one name were tried: the first tells as much as the others.
  const inner = thrown instanceof AggregateError ? thrown.errors[0] : thrown.cause;
  return depth < 3 ? codeOf(inner, depth + 1) : { code: '', path: undefined };
}
