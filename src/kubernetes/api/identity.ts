/** Who a role is bound to, as RBAC names it. */
export type Subject =
  | { readonly kind: 'ServiceAccount'; readonly name: string; readonly namespace: string }
  | { readonly kind: 'User'; readonly name: string };

const ACCOUNT = /^system:serviceaccount:([a-z0-9-]+):([a-z0-9.-]+)$/;

/** The service account that a bearer token names; undefined for other credentials, whose user only the API server knows. */
export function subjectOf(authorization: string | undefined): Subject | undefined {
  const payload = /^Bearer [\w-]+\.([\w-]+)\./.exec(authorization ?? '')?.[1];
  if (payload === undefined) return undefined;
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString());
    const sub = typeof claims === 'object' && claims !== null && 'sub' in claims ? claims.sub : undefined;
    return serviceAccountOf(typeof sub === 'string' ? sub : undefined);
  } catch {
    return undefined;
  }
}

/** `system:serviceaccount:<namespace>:<name>` as a subject; undefined for any other user. */
export function serviceAccountOf(
  user: string | undefined,
): Extract<Subject, { readonly kind: 'ServiceAccount' }> | undefined {
  const match = ACCOUNT.exec(user ?? '');
  return match === null ? undefined : { kind: 'ServiceAccount', namespace: match[1] ?? '', name: match[2] ?? '' };
}

export function isLoopback(server: string): boolean {
  const { hostname } = new URL(server);
  return hostname === 'localhost' || hostname === '[::1]' || /^127\./.test(hostname);
}
