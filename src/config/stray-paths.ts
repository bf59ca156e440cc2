import { delimiter } from 'node:path';
import type { Fault } from './problems.ts';
import type { Config } from './schema.ts';

/** Whether a file or folder is there. */
export type IsThere = (path: string, kind: PathKind) => boolean;

export type PathKind = 'file' | 'folder';

type Named = { readonly at: Fault['path']; readonly value: string | undefined; readonly kind: PathKind };

/** Files and folders that a sound configuration names and this machine does not have: the first use would find out. */
export function strayPaths(config: Config, isThere: IsThere): readonly Fault[] {
  return namedPaths(config).flatMap(({ at, value, kind }) => {
    if (value === undefined) return [];
    const missing = anyOf(value).every((path) => !isThere(path, kind));
    return missing ? [{ path: at, message: `there is no ${kind} ${value}` }] : [];
  });
}

// KUBECONFIG may hold a list, of which files may be missing as long as one is there.
function anyOf(value: string): readonly string[] {
  return value.split(delimiter).filter((part) => part !== '');
}

function namedPaths({ clusters, playbooks }: Config): readonly Named[] {
  return [
    ...clusters.flatMap(({ kubeconfig, prometheus }, i): Named[] => {
      const below = ['clusters', i, 'prometheus'];
      const file = (at: Fault['path'], value: string | undefined): Named => ({ at, value, kind: 'file' });
      return [
        file(['clusters', i, 'kubeconfig'], kubeconfig),
        file([...below, 'bearerTokenFile'], prometheus?.bearerTokenFile),
        file([...below, 'basic', 'passwordFile'], prometheus?.basic?.passwordFile),
        ...(['caFile', 'certFile', 'keyFile'] as const).map((key) =>
          file([...below, 'tls', key], prometheus?.tls?.[key]),
        ),
      ];
    }),
    ...playbooks.dirs.map((value, i): Named => ({ at: ['playbooks', 'dirs', i], value, kind: 'folder' })),
  ];
}
