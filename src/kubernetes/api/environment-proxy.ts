import { BlockList, isIP, isIPv4 } from 'node:net';
import { isLoopback } from './identity.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The proxy of the environment for this API server, as Go's net/http and so kubectl choose it (golang.org/x/net/http/httpproxy):
 * HTTPS_PROXY, or HTTP_PROXY for http://, unless NO_PROXY names the host. Undefined if it is reached directly.
 */
export function environmentProxy(server: string, environment: Environment): string | undefined {
  const { protocol, hostname, port } = new URL(server);
  const named = (name: string) => environment[name] || environment[name.toLowerCase()] || undefined;
  const proxy = named(protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY');
  const at = { host: bare(hostname).replace(/\.$/, ''), port: port || (protocol === 'https:' ? '443' : '80') };
  const isDirect = (named('NO_PROXY') ?? '').split(',').some((entry) => covers(entry.trim().toLowerCase(), at));
  if (proxy === undefined || isDirect || isLoopback(server)) return undefined;
  return proxy.includes('://') ? proxy : `http://${proxy}`;
}

type Address = { readonly host: string; readonly port: string };

function covers(entry: string, { host, port }: Address): boolean {
  if (entry === '' || entry === '*') return entry === '*';
  const range = entry.split('/');
  if (range.length === 2) return isWithin(host, range);
  const [, name = entry, only = port] = /^(\[.*\]|[^:]*):(\d+)$/.exec(entry) ?? [];
  if (only !== port) return false;
  const wanted = bare(name);
  if (isIP(wanted) !== 0 || isIP(host) !== 0)
    return isIP(wanted) !== 0 && isWithin(host, [wanted, isIPv4(wanted) ? '32' : '128']);
  // A name covers itself and what is below it; with a dot or a star before it only what is below.
  const below = wanted.replace(/^\*?\./, '');
  return host.endsWith(`.${below}`) || host === wanted;
}

function isWithin(host: string, [network = '', bits]: readonly string[]): boolean {
  const family = isIPv4(network) ? 'ipv4' : 'ipv6';
  const most = family === 'ipv4' ? 32 : 128;
  if (isIP(network) === 0 || isIP(host) === 0 || !(Number(bits) >= 0 && Number(bits) <= most)) return false;
  const list = new BlockList();
  list.addSubnet(network, Number(bits), family);
  return list.check(host, isIPv4(host) ? 'ipv4' : 'ipv6');
}

function bare(host: string): string {
  return host.replace(/^\[(.*)\]$/, '$1');
}
