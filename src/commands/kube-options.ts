import type { Command } from 'commander';
import { type ClusterConfig, type Config, defaultCluster, readKubeContext, shortName } from '../config.ts';
import type { CommandContext } from './context.ts';

export type KubeOptions = { readonly kubeconfig?: string; readonly context?: string };

/** `--kubeconfig` and `--context`, as kubectl has them. */
export function addKubeOptions(command: Command): Command {
  return command
    .option('--kubeconfig <file>', 'Kubeconfig file (default: $KUBECONFIG, then ~/.kube/config)')
    .option('--context <name>', 'Kubeconfig context, or a cluster from the config');
}

/** The context of a command whose clusters are those that the options name. */
export function withKubeOptions<T extends Pick<CommandContext, 'config'>>(context: T, options: KubeOptions): T {
  return { ...context, config: () => chooseCluster(context.config(), options) };
}

function chooseCluster(config: Config, { kubeconfig, context }: KubeOptions): Config {
  if (kubeconfig === undefined && context === undefined) return config;
  if (kubeconfig === undefined && config.clusters.some(({ name }) => name === context))
    return { ...config, defaultCluster: context };
  const base = defaultCluster(config);
  const file = kubeconfig ?? base?.kubeconfig;
  const found = readKubeContext(file, context);
  const name = shortName(found?.name ?? '') ?? 'default';
  return { ...config, defaultCluster: name, clusters: [clusterOf(base, { name, kubeconfig: file, context })] };
}

// The Prometheus of another cluster would answer for pods of the same name.
function clusterOf(
  base: ClusterConfig | undefined,
  chosen: Pick<ClusterConfig, 'name' | 'kubeconfig' | 'context'>,
): ClusterConfig {
  return {
    ...chosen,
    inCluster: false,
    namespaces: ['*'],
    engineMetrics: base?.engineMetrics ?? { podIP: true },
    ...(chosen.name === base?.name && { prometheus: base?.prometheus, acting: base?.acting }),
  };
}

/** The namespace that the context of a cluster names, as kubectl takes it where none is typed. */
export function namespaceOfContext(config: Config, cluster: string | undefined): string | undefined {
  const chosen = config.clusters.find(({ name }) => name === cluster) ?? defaultCluster(config);
  if (chosen === undefined || chosen.inCluster) return undefined;
  return readKubeContext(chosen.kubeconfig, chosen.context)?.namespace;
}
