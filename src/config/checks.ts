import { delimiter } from 'node:path';
import { owningChannel } from '../app/automatic/owning-channel.ts';
import { matchesAny } from '../model/authorise.ts';
import { type Fault, unknownName } from './problems.ts';
import type { Config } from './schema.ts';

export type PathKind = 'file' | 'folder';

/** What is at a path: `sound` is a file or folder, as asked, that this process may read. */
export type PathState = 'sound' | 'missing' | 'other-kind' | 'unreadable';

/** Looks at a path; the file system is not touched here. */
export type LookAt = (path: string, kind: PathKind) => PathState;

type Named = { readonly at: Fault['path']; readonly value: string | undefined; readonly kind: PathKind };

/** Files and folders that a sound configuration names and this machine does not have, or may not read: the first use would find out. */
export function strayPaths(config: Config, lookAt: LookAt): readonly Fault[] {
  return namedPaths(config).flatMap(({ at, value, kind }) => {
    if (value === undefined) return [];
    const looks = anyOf(value).map((path) => ({ path, state: lookAt(path, kind) }));
    if (looks.some(({ state }) => state === 'sound')) return [];
    const { path, state } = looks.find((look) => look.state !== 'missing') ?? { path: value, state: 'missing' };
    return [{ path: at, message: says(path, kind, state) }];
  });
}

// KUBECONFIG may hold a list, of which files may be missing as long as one is there.
function anyOf(value: string): readonly string[] {
  return value.split(delimiter).filter((part) => part !== '');
}

function says(path: string, kind: PathKind, state: PathState): string {
  if (state === 'unreadable') return `cannot read the ${kind} ${path}: permission denied`;
  if (state === 'other-kind') return `${path} is not a ${kind}`;
  const home = path.startsWith('~') ? '; ~ is not expanded here, write the whole path' : '';
  return `there is no ${kind} ${path}${home}`;
}

function namedPaths({ clusters, playbooks, acting, alerts }: Config): readonly Named[] {
  return [
    ...clusters.flatMap(({ kubeconfig, prometheus }, i): Named[] => {
      const below = ['clusters', i, 'prometheus'];
      return [
        file(['clusters', i, 'kubeconfig'], kubeconfig),
        file([...below, 'bearerTokenFile'], prometheus?.bearerTokenFile),
        file([...below, 'basic', 'passwordFile'], prometheus?.basic?.passwordFile),
        ...(['caFile', 'certFile', 'keyFile'] as const).map((key) =>
          file([...below, 'tls', key], prometheus?.tls?.[key]),
        ),
      ];
    }),
    file(['acting', 'verify', 'apiKeyFile'], acting.verify.apiKeyFile),
    file(['alerts', 'bearerTokenFile'], alerts?.bearerTokenFile),
    file(['alerts', 'basic', 'passwordFile'], alerts?.basic?.passwordFile),
    ...playbooks.dirs.map((value, i): Named => ({ at: ['playbooks', 'dirs', i], value, kind: 'folder' })),
  ];
}

function file(at: Fault['path'], value: string | undefined): Named {
  return { at, value, kind: 'file' };
}

/** What the parts of a configuration say against each other. */
export function crossCheck(config: Config): readonly Fault[] {
  const names = config.clusters.map(({ name }) => name);
  return [...twice(names), ...strayDefault(config, names), ...strayScopes(config, names), ...strayWatches(config)];
}

// A watch that can read no pod, or post nowhere, would look well and find nothing.
function strayWatches({ clusters, channels }: Config): readonly Fault[] {
  return clusters.flatMap(({ name, watch, namespaces, inCluster }, i) => {
    if (watch === undefined) return [];
    const path = ['clusters', i, 'watch'];
    const lease = { path, message: 'needs `leaseNamespace` without `inCluster`' };
    return [
      ...(watch.leaseNamespace === undefined && !inCluster ? [lease] : []),
      ...watch.pods.flatMap(({ namespace }, n): Fault[] => {
        const at = [...path, 'pods', n, 'namespace'];
        if (!matchesAny(namespaces, namespace))
          return [{ path: at, message: `${namespace} is not one of \`namespaces\` of cluster ${name}` }];
        if (owningChannel(channels, { cluster: name, namespace }, watch.channel) !== undefined) return [];
        return [{ path: at, message: `no channel owns ${namespace}: add it to \`channels\`, or set \`channel\`` }];
      }),
    ];
  });
}

function twice(names: readonly string[]): readonly Fault[] {
  return names.flatMap((name, i) =>
    names.indexOf(name) === i ? [] : [{ path: ['clusters', i, 'name'], message: `${name} is used twice` }],
  );
}

function strayDefault({ defaultCluster }: Config, names: readonly string[]): readonly Fault[] {
  if (defaultCluster === undefined || names.includes(defaultCluster)) return [];
  return [{ path: ['defaultCluster'], message: unknownName(defaultCluster, names, 'cluster') }];
}

// A scope that names a cluster that is not there gives nobody anything: a slip of the pen that would go unseen.
function strayScopes(config: Config, names: readonly string[]): readonly Fault[] {
  const channels = Object.entries(config.channels).map(([id, scope]) => ({ path: ['channels', id], scope }));
  const rules = config.act.map(({ scope }, i) => ({ path: ['act', i, 'scope'], scope }));
  const others = config.defaultChannel ? [{ path: ['defaultChannel'], scope: config.defaultChannel }] : [];
  return [...channels, ...rules, ...others].flatMap(({ path, scope }) =>
    scope.clusters.flatMap((name, i) =>
      name.endsWith('*') || names.includes(name)
        ? []
        : [{ path: [...path, 'clusters', i], message: unknownName(name, names, 'cluster') }],
    ),
  );
}
