import { type CredentialSource, loadCredentials } from './credentials.ts';

/** The bearer token that a kubeconfig or a pod uses for its cluster; undefined where it uses none (a certificate, say). */
export async function readToken(source: CredentialSource): Promise<string | undefined> {
  const { headers } = await (await loadCredentials(source)).material();
  const header = Object.entries(headers).find(([name]) => name.toLowerCase() === 'authorization')?.[1];
  return /^Bearer (\S+)$/.exec(header ?? '')?.[1];
}
