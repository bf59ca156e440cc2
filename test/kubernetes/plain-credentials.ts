import type { Credentials, Material } from '../../src/kubernetes/api/credentials.ts';

/** Credentials for an API server that asks for nothing. */
export function plainCredentials(server: string, over: Partial<Material> = {}): Credentials {
  const material: Material = {
    ca: undefined,
    cert: undefined,
    key: undefined,
    servername: undefined,
    rejectUnauthorized: true,
    headers: {},
    ...over,
  };
  return { server, proxy: undefined, namespace: undefined, material: async () => material };
}
