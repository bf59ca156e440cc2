import type { Credentials } from '../../../../src/kubernetes/credentials.ts';

/** Access to an API server that asks for nothing. */
export function plainAccess(server: string): () => Promise<Credentials> {
  const material = {
    ca: undefined,
    cert: undefined,
    key: undefined,
    servername: undefined,
    rejectUnauthorized: true,
    headers: {},
  };
  return async () => ({ server, proxy: undefined, namespace: undefined, material: async () => material });
}
