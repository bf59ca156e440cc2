import { type Fault, unknownName } from './problems.ts';
import type { Config } from './schema.ts';

/** What the parts of a configuration say against each other. */
export function crossCheck(config: Config): readonly Fault[] {
  const names = config.clusters.map(({ name }) => name);
  return [...twice(names), ...strayDefault(config, names), ...strayScopes(config, names)];
}

function twice(names: readonly string[]): readonly Fault[] {
  return names.flatMap((name, i) =>
    names.indexOf(name) === i
      ? []
      : [{ path: ['clusters', i, 'name'], message: `${name} is the name of another cluster too` }],
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
