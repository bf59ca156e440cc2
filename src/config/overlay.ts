import { nameOfContext } from './current-context.ts';
import { type EnvironmentVariable, settingOf, VARIABLES } from './environment.ts';
import { type Fault, keyText } from './problems.ts';

export type Layered = {
  readonly value: unknown;
  readonly faults: readonly Fault[];
  /** Which variable a key has its value from, by the text of the key. */
  readonly from: ReadonlyMap<string, string>;
  readonly used: readonly string[];
};

type Input = {
  readonly base: unknown;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly readFile: SafeReader;
};
type Work = { readonly value: Record<string, unknown>; faults: Fault[]; from: Map<string, string>; used: string[] };

/** Lays the environment over what the file says, and reads secrets out of their files. */
export function overlay({ base, env, readFile }: Input): Layered {
  if (!isGroup(base)) return { value: base, faults: [], from: new Map(), used: [] };
  const work: Work = { value: structuredClone(base), faults: [], from: new Map(), used: [] };
  addImplicitCluster(work.value, env, readFile);
  for (const variable of VARIABLES) {
    const found = textOf(variable, env, readFile, work);
    if (found !== undefined) put(work, variable, found);
  }
  if (env.KUBECONFIG) putKubeconfig(work, env.KUBECONFIG);
  readSecretFiles(work, readFile);
  return work;
}

// Without any cluster there is one: that which the bot runs in, else the current context of the kubeconfig.
function addImplicitCluster(value: Record<string, unknown>, env: Input['env'], readFile: SafeReader): void {
  const { clusters } = value;
  if (clusters !== undefined && clusters !== null && !(Array.isArray(clusters) && clusters.length === 0)) return;
  const inCluster = Boolean(env.KUBERNETES_SERVICE_HOST) && !env.KUBECONFIG;
  const name = inCluster ? undefined : nameOfContext(env.KUBECONFIG, (path) => readFile(path).text);
  value.clusters = [{ name: name ?? 'default', inCluster }];
}

type Found = { readonly text: string; readonly name: string };

function textOf(variable: EnvironmentVariable, env: Input['env'], readFile: SafeReader, work: Work): Found | undefined {
  const { name, kind, path } = variable;
  // An empty variable is one that is not set: that is how a shell or a manifest takes one back.
  const direct = env[name] || undefined;
  const fileName = `${name}_FILE`;
  const file = kind === 'secret' ? env[fileName] || undefined : undefined;
  if (file === undefined) return direct === undefined ? undefined : { text: direct, name };
  if (direct !== undefined) {
    work.from.set(keyText(path), name);
    work.faults.push({ path, message: `is set twice, by ${name} and ${fileName}` });
    return undefined;
  }
  const secret = readSecret(file, readFile);
  if (secret.kind === 'text') return { text: secret.text, name: fileName };
  work.from.set(keyText(path), fileName);
  work.faults.push({ path, message: secret.message });
  return undefined;
}

type Secret = { readonly kind: 'text'; readonly text: string } | { readonly kind: 'bad'; readonly message: string };

function readSecret(file: string, readFile: SafeReader): Secret {
  const { text, fault } = readFile(file);
  if (fault !== undefined) return { kind: 'bad', message: `its file ${file} ${fault}` };
  if (text === undefined) return { kind: 'bad', message: `there is no file ${file}` };
  return text.trim() === ''
    ? { kind: 'bad', message: `its file ${file} is empty` }
    : { kind: 'text', text: text.trim() };
}

function put(work: Work, variable: EnvironmentVariable, { text, name }: Found): void {
  const path = concrete(work, variable, name);
  if (path === undefined) return;
  let target: Record<PropertyKey, unknown> = work.value;
  for (const step of path.slice(0, -1)) {
    const next = target[step];
    const group = isGroup(next) || Array.isArray(next) ? next : {};
    target[step] = group;
    target = group as Record<PropertyKey, unknown>;
  }
  target[path.at(-1) ?? ''] = settingOf(variable, text);
  work.from.set(keyText(path), name);
  work.used.push(name);
}

// `*` is the only cluster. Where there are several, a variable cannot say which.
function concrete(work: Work, { path }: EnvironmentVariable, name: string): readonly PropertyKey[] | undefined {
  if (!path.includes('*')) return path;
  const count = clustersOf(work).length;
  if (count === 1) return path.map((step) => (step === '*' ? 0 : step));
  work.from.set('clusters', name);
  work.faults.push({ path: ['clusters'], message: `there are ${count} clusters: set it for each in the file` });
  return undefined;
}

function clustersOf({ value }: Work): readonly unknown[] {
  return Array.isArray(value.clusters) ? value.clusters : [];
}

// As kubectl does: KUBECONFIG is for every cluster that names no file of its own.
function putKubeconfig(work: Work, text: string): void {
  for (const [i, cluster] of clustersOf(work).entries()) {
    if (!isGroup(cluster) || cluster.inCluster === true || cluster.kubeconfig !== undefined) continue;
    cluster.kubeconfig = text;
    work.from.set(keyText(['clusters', i, 'kubeconfig']), 'KUBECONFIG');
    if (!work.used.includes('KUBECONFIG')) work.used.push('KUBECONFIG');
  }
}

const SECRET_KEYS = ['botToken', 'appToken', 'signingSecret'] as const;

// `slack.botTokenFile` and its like. A token of the environment wins over both.
function readSecretFiles(work: Work, readFile: SafeReader): void {
  const { slack } = work.value;
  if (!isGroup(slack)) return;
  for (const key of SECRET_KEYS) {
    const path = ['slack', `${key}File`];
    const file = slack[`${key}File`];
    if (typeof file !== 'string' || work.from.has(keyText(['slack', key]))) continue;
    const secret = readSecret(file, readFile);
    if (slack[key] !== undefined) work.faults.push({ path, message: `is set together with \`${key}\`: keep one` });
    else if (secret.kind === 'bad') work.faults.push({ path, message: secret.message });
    else slack[key] = secret.text;
  }
}

function isGroup(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export type FileReading = { readonly text: string | undefined; readonly fault: string | undefined };

/** The text of a file; no text and no fault where there is none. Never throws. */
export type SafeReader = (path: string) => FileReading;

export function readSafely(readFile: (path: string) => string | undefined): SafeReader {
  return (path) => {
    try {
      return { text: readFile(path), fault: undefined };
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
      return { text: undefined, fault: `cannot be read${code}` };
    }
  };
}
