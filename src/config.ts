import { accessSync, constants, readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import type { PathKind, PathState } from './config/checks.ts';
import { type KubeContext, readContext } from './config/current-context.ts';
import { type ConfigOutcome, type LoadInput, loadConfig } from './config/load.ts';
import { readSafely } from './config/overlay.ts';

export { shortName } from './config/current-context.ts';
export { defaultCluster, missingForSlack, prometheusOptions, rightsOf } from './config/derived-settings.ts';
export { effectiveConfig } from './config/effective-config.ts';
export { type ConfigOutcome, type ConfigProblem, loadConfig } from './config/load.ts';
export type { ClusterConfig, Config, PrometheusConfig, SlackConfig } from './config/schema.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** The environment of the process, read here and nowhere else. */
export function readEnvironment(): Environment {
  return { ...process.env };
}

/** The configuration of this process: file and environment. `file` is the value of `--config`. */
export function readConfig(file?: string): ConfigOutcome {
  return loadConfig(inputOf(file));
}

/** The same, which is sound only where the files and folders that it names are on this machine and can be read. */
export function checkConfig(file?: string): ConfigOutcome {
  return loadConfig({ ...inputOf(file), lookAt });
}

/** The context of a kubeconfig, or of a list of them: that of the name, else the current one. */
export function readKubeContext(kubeconfig: string | undefined, context: string | undefined): KubeContext | undefined {
  // What cannot be read is told where the credentials are loaded.
  return readContext(kubeconfig, context, (path) => readSafely(readTextFile)(path).text);
}

function inputOf(file: string | undefined): LoadInput {
  return { env: readEnvironment(), readFile: readTextFile, ...(file === undefined ? {} : { file }) };
}

function lookAt(path: string, kind: PathKind): PathState {
  try {
    if (statSync(path).isDirectory() !== (kind === 'folder')) return 'other-kind';
    // A folder is entered to read what is in it.
    accessSync(path, kind === 'folder' ? constants.R_OK | constants.X_OK : constants.R_OK);
    return 'sound';
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    return code === 'ENOENT' || code === 'ENOTDIR' ? 'missing' : 'unreadable';
  }
}

/** The text of a file, or undefined where there is none. A leading `~/` is the home folder. */
function readTextFile(path: string): string | undefined {
  try {
    return readFileSync(path.startsWith('~/') ? `${homedir()}${path.slice(1)}` : path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
