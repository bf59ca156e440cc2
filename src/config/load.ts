import { crossCheck, type LookAt, strayPaths } from './checks.ts';
import { unknownVariables, VARIABLE_NAMES } from './environment.ts';
import { overlay, readSafely, type SafeReader } from './overlay.ts';
import { type ConfigProblem, type Fault, faultsOf, keyText, unknownName } from './problems.ts';
import { Config } from './schema.ts';
import { readYaml, type YamlFile } from './yaml-file.ts';

export type { ConfigProblem } from './problems.ts';

export type ConfigOutcome =
  /** `sources`: the file and the variables that were read; the variables win. */
  | { readonly kind: 'ok'; readonly config: Config; readonly sources: readonly string[] }
  | { readonly kind: 'bad'; readonly problems: readonly ConfigProblem[] };

export type LoadInput = {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The text of a file, or undefined where there is none; may throw where it cannot be read. */
  readonly readFile: (path: string) => string | undefined;
  /** The file that was asked for; it must exist. */
  readonly file?: string;
  /** Given, files and folders that the configuration names have to be there too, and be readable. */
  readonly lookAt?: LookAt;
};

/** Where a configuration is looked for, in this order, when none is named. */
export const USUAL_FILES = ['oombot.yaml', '/etc/oombot/config.yaml'] as const;

type Found = { readonly path: string | undefined; readonly yaml: YamlFile };
const NOTHING: Found = { path: undefined, yaml: { value: {}, lineOf: () => 1 } };

/** Configuration from a YAML file and the environment; all that is wrong with it at once. Never throws. */
export function loadConfig({ env, readFile, file, lookAt }: LoadInput): ConfigOutcome {
  const found = findFile(readSafely(readFile), file ?? (env.OOM_CONFIG || undefined));
  if ('problems' in found) return { kind: 'bad', problems: found.problems };
  const strangers = unknownVariables(env).map((name) => ({
    where: name,
    key: '',
    message: unknownName(name, VARIABLE_NAMES, 'variable'),
  }));
  const layered = overlay({ base: found.yaml.value, env, readFile: readSafely(readFile) });
  const checked = check(layered.value, lookAt);
  const faults = [...layered.faults, ...checked.faults];
  const problems = [...faults.map((fault) => place(fault, found, layered.from)).toSorted(byLine), ...strangers];
  if (problems.length > 0 || checked.config === undefined) return { kind: 'bad', problems };
  const sources = [...(found.path === undefined ? [] : [found.path]), ...layered.used];
  return { kind: 'ok', config: checked.config, sources };
}

function findFile(
  read: SafeReader,
  asked: string | undefined,
): Found | { readonly problems: readonly ConfigProblem[] } {
  for (const path of asked === undefined ? USUAL_FILES : [asked]) {
    const { text, fault } = read(path);
    if (fault !== undefined) return { problems: [{ where: path, key: '', message: fault }] };
    if (text === undefined) continue;
    const yaml = readYaml(text);
    if (yaml.kind === 'ok') return { path, yaml: yaml.file };
    return { problems: yaml.problems.map(({ line, message }) => ({ where: `${path}:${line}`, key: '', message })) };
  }
  return asked === undefined ? NOTHING : { problems: [{ where: asked, key: '', message: 'there is no such file' }] };
}

type Checked = { readonly config: Config | undefined; readonly faults: readonly Fault[] };

function check(value: unknown, lookAt: LookAt = () => 'sound'): Checked {
  const parsed = Config.safeParse(value);
  if (!parsed.success)
    return { config: undefined, faults: parsed.error.issues.flatMap((issue) => faultsOf(issue, value)) };
  return { config: parsed.data, faults: [...crossCheck(parsed.data), ...strayPaths(parsed.data, lookAt)] };
}

const LINE = /:(\d+)$/;

function byLine(a: ConfigProblem, b: ConfigProblem): number {
  return Number(LINE.exec(a.where)?.[1] ?? 0) - Number(LINE.exec(b.where)?.[1] ?? 0);
}

// The variable that a value came from, else the line of the file.
function place({ path, message }: Fault, found: Found, from: ReadonlyMap<string, string>): ConfigProblem {
  const key = keyText(path);
  for (let length = path.length; length > 0; length -= 1) {
    const variable = from.get(keyText(path.slice(0, length)));
    if (variable !== undefined) return { where: variable, key, message };
  }
  const where = found.path === undefined ? 'configuration' : `${found.path}:${found.yaml.lineOf(path)}`;
  return { where, key, message };
}
