import { covers, type Rights, type Target } from '../../model/authorise.ts';

/**
 * The channel to which findings of a namespace go: the one whose configuration names it most exactly, of equals the first;
 * else `fallback`.
 */
export function owningChannel(
  channels: Rights['channels'],
  target: Target,
  fallback: string | undefined,
): string | undefined {
  const owners = Object.entries(channels)
    .filter(([, scope]) => covers(scope, target))
    .map(([channel, { namespaces }]) => ({ channel, rank: rankOf(namespaces, target.namespace) }));
  return owners.toSorted((a, b) => b.rank - a.rank)[0]?.channel ?? fallback;
}

// A whole name before the longest beginning of it.
function rankOf(namespaces: readonly string[], namespace: string): number {
  const ranks = namespaces.map((pattern) => {
    if (pattern === namespace) return Number.POSITIVE_INFINITY;
    return pattern.endsWith('*') && namespace.startsWith(pattern.slice(0, -1)) ? pattern.length - 1 : -1;
  });
  return Math.max(...ranks);
}
