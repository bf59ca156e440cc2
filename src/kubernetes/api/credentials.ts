import { existsSync } from 'node:fs';
import type { RequestOptions } from 'node:https';
import { delimiter } from 'node:path';
import type { KubeConfig } from '@kubernetes/client-node/dist/config.js';
import type { Cluster, Context } from '@kubernetes/client-node/dist/config_types.js';
import { OomError } from '../../model/errors.ts';
import { type Environment, environmentProxy } from './environment-proxy.ts';
import { isLoopback } from './identity.ts';

/** Where the rights to a cluster come from: the pod's own service account, a kubeconfig (or a list of them, as KUBECONFIG holds), or the usual places. */
export type CredentialSource = {
  readonly inCluster?: boolean;
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
  /** Names the proxy where the kubeconfig names none: HTTPS_PROXY, HTTP_PROXY, NO_PROXY. */
  readonly environment?: Environment;
  /** Put before the paths of the service account; for tests. */
  readonly pathPrefix?: string;
};

type Pem = string | Buffer;

/** What a connection needs. Headers hold secrets: never logged, never shown. */
export type Material = {
  readonly ca: Pem | undefined;
  readonly cert: Pem | undefined;
  readonly key: Pem | undefined;
  readonly servername: string | undefined;
  readonly rejectUnauthorized: boolean;
  readonly headers: Readonly<Record<string, string>>;
};

export type Credentials = {
  readonly server: string;
  readonly proxy: string | undefined;
  readonly namespace: string | undefined;
  material(): Promise<Material>;
};

/** Loads credentials; throws OomError `bad-config` where there are none. Each call starts afresh, without what an earlier one remembered of tokens and plugins. */
export async function loadCredentials(source: CredentialSource): Promise<Credentials> {
  // Half a second and 86 MiB, which a terminal that reads a folder must not pay.
  const { KubeConfig } = await import('@kubernetes/client-node/dist/config.js');
  const config = open(() => new KubeConfig(), source);
  const { context, cluster } = chosenOf(config, source.context);
  trustPlainHttp(config);
  return {
    server: cluster.server.replace(/\/+$/, ''),
    proxy: cluster.proxyUrl || environmentProxy(cluster.server, source.environment ?? {}),
    namespace: context.namespace,
    material: () => readMaterial(config, cluster.server),
  };
}

function open(make: () => KubeConfig, { inCluster, kubeconfig, pathPrefix }: CredentialSource): KubeConfig {
  const config = make();
  try {
    if (inCluster) config.loadFromCluster(pathPrefix);
    else if (kubeconfig === undefined) config.loadFromDefault();
    else loadFiles(make, config, kubeconfig);
  } catch (cause) {
    if (cause instanceof OomError) throw cause;
    throw new OomError(
      'bad-config',
      `Cannot read the ${inCluster ? 'service account' : 'kubeconfig'}${whyNot(cause)}.`,
      {
        next: 'Check the kubeconfig with `kubectl config view`, or name one file under `clusters[].kubeconfig`.',
        cause,
      },
    );
  }
  return config;
}

// Of a file that is there the fault may quote a line, and a line may hold a token.
function whyNot(cause: unknown): string {
  if (!(cause instanceof Error && 'code' in cause && 'path' in cause)) return '';
  return `: ${cause.path} ${cause.code === 'ENOENT' ? 'does not exist' : 'cannot be opened'}`;
}

// The package refuses a name that two files hold, and a file that is not there; kubectl, and so people, take the first name
// and pass over such a file while another is there.
function loadFiles(make: () => KubeConfig, config: KubeConfig, list: string): void {
  const files = list.split(delimiter).filter((file) => file !== '');
  const there = files.filter((file) => existsSync(file));
  const parts = (there.length === 0 ? files : there).map((file) => {
    const part = make();
    loadFile(part, file);
    return part;
  });
  config.loadFromOptions({
    clusters: firstOfName(parts.flatMap((part) => part.getClusters())),
    users: firstOfName(parts.flatMap((part) => part.getUsers())),
    contexts: firstOfName(parts.flatMap((part) => part.getContexts())),
    currentContext: parts.map((part) => part.getCurrentContext()).find((name) => name) ?? '',
  });
}

function loadFile(config: KubeConfig, file: string): void {
  try {
    config.loadFromFile(file);
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && 'path' in cause) throw cause;
    throw new OomError('bad-config', `${file} is not a kubeconfig.`, {
      next: `\`kubectl config view --kubeconfig ${file}\` says what is wrong with it.`,
      cause,
    });
  }
}

function firstOfName<T extends { readonly name: string }>(items: readonly T[]): T[] {
  return items.filter((item, i) => items.findIndex(({ name }) => name === item.name) === i);
}

type Chosen = { readonly context: Context; readonly cluster: Cluster };

// Asks no server with half of what a context names: it would answer an anonymous request.
function chosenOf(config: KubeConfig, wanted: string | undefined): Chosen {
  if (isPlaceholder(config.getCurrentCluster())) throw noCluster();
  const name = wanted ?? config.getCurrentContext();
  const context = config.getContextObject(name);
  if (context === null) throw noContext(config, name);
  config.setCurrentContext(name);
  const cluster = config.getCluster(context.cluster);
  if (cluster === null) throw lacksPart(name, `cluster \`${context.cluster}\``);
  if (context.user && config.getUser(context.user) === null) throw lacksPart(name, `user \`${context.user}\``);
  return { context, cluster };
}

// What the package makes of no kubeconfig at all.
function isPlaceholder(cluster: Cluster | null): boolean {
  return cluster?.name === 'cluster' && cluster.server === 'http://localhost:8080';
}

function noContext(config: KubeConfig, name: string): OomError {
  const names = config.getContexts().map((one) => one.name);
  const says = names.length === 0 ? 'no contexts' : name ? `no context \`${name}\`` : 'no current context';
  const next =
    names.length === 0
      ? 'Log in to a cluster, or name another file by `--kubeconfig` or `clusters[].kubeconfig`.'
      : `Name one of its contexts by \`--context\` or \`clusters[].context\`: ${names.slice(0, 20).join(', ')}`;
  return new OomError('bad-config', `The kubeconfig has ${says}.`, { next });
}

function lacksPart(context: string, part: string): OomError {
  return new OomError('bad-config', `The kubeconfig has no ${part}, which its context \`${context}\` names.`, {
    next: 'Log in to the cluster again, or name another context by `--context`.',
  });
}

function noCluster(): OomError {
  return new OomError('bad-config', 'No cluster: there is no kubeconfig and no service account.', {
    next: 'Set KUBECONFIG, or add a cluster to `clusters` in the config.',
  });
}

// Plain HTTP has no certificate to verify, yet the package insists on being told not to verify it.
function trustPlainHttp(config: KubeConfig): void {
  config.clusters = config
    .getClusters()
    .map((cluster) => (cluster.server.startsWith('http:') ? { ...cluster, skipTLSVerify: true } : cluster));
}

async function readMaterial(config: KubeConfig, server: string): Promise<Material> {
  const options: RequestOptions & { headers: Record<string, string | undefined> } = { headers: {} };
  try {
    await config.applyToHTTPSOptions(options);
  } catch (cause) {
    throw new OomError('cluster-unreachable', 'Cannot get the cluster credentials.', {
      next: 'The credential plugin or file fails. Try `kubectl get pods` with the same kubeconfig and context.',
      cause,
    });
  }
  const headers = headersOf(options);
  if (server.startsWith('http:') && headers.authorization !== undefined && !isLoopback(server)) {
    throw new OomError(
      'bad-config',
      'The API server is addressed by http://, where its token could be read on the way.',
      {
        next: 'Use the https:// address in the kubeconfig, or `kubectl proxy` on this machine.',
      },
    );
  }
  return {
    ca: options.ca as Pem | undefined,
    cert: options.cert as Pem | undefined,
    key: options.key as Pem | undefined,
    servername: options.servername,
    rejectUnauthorized: options.rejectUnauthorized !== false,
    headers,
  };
}

// A token file ends in a line feed, which no header may hold.
function headersOf({ headers, auth }: { headers: Record<string, string | undefined>; auth?: string | null }) {
  const clean: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value === 'string') clean[name.toLowerCase()] = value.trim();
  }
  if (auth) clean.authorization ??= `Basic ${Buffer.from(auth).toString('base64')}`;
  return clean;
}

/** The bearer token that a kubeconfig or a pod uses for its cluster; undefined where it uses none (a certificate, say). */
export async function readToken(source: CredentialSource): Promise<string | undefined> {
  const { headers } = await (await loadCredentials(source)).material();
  const header = Object.entries(headers).find(([name]) => name.toLowerCase() === 'authorization')?.[1];
  return /^Bearer (\S+)$/.exec(header ?? '')?.[1];
}
