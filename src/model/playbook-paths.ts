/** What the files of a playbook directory are, by their path below it. */
export const PLAYBOOK_PATHS = {
  signatures: /^(?:engines\/[^/]+\/signatures[^/]*|platform\/[^/]+)\.ya?ml$/,
  profiles: /^engines\/[^/]+\/profiles\.ya?ml$/,
  playbook: /^oom\/(?:playbook|(?:tree|thresholds|findings|remedies|topics)(?:\/.+)?)(?<!\.cases)\.ya?ml$/,
  cases: /^oom\/.+\.cases\.ya?ml$/,
} as const;

/** Whether anything reads a file of a playbook directory. */
export function isReadBy(path: string): boolean {
  return Object.values(PLAYBOOK_PATHS).some((pattern) => pattern.test(path)) || tableAt(path) !== undefined;
}

const OF_ENGINE = 'engines/([^/]+)';
const OF_PLATFORM = 'platform/([^/]+)';

/** The files of tables by their path below a playbook folder. The captured name is what the rows are about. */
const TABLE_PATHS = {
  names: pathOf('engines/names'),
  flags: pathOf(`${OF_ENGINE}/flags(?:-[\\w-]+)?`),
  variables: pathOf(`${OF_PLATFORM}/flags`),
  commandLine: pathOf(`${OF_ENGINE}/command-line`),
  metrics: pathOf(`(?:engines|platform)/([^/]+)/metrics`),
  knobs: pathOf(`${OF_ENGINE}/knobs`),
  features: pathOf(`${OF_PLATFORM}/features`),
  guessWords: pathOf('platform/guess/[\\w-]+'),
  words: pathOf('oom/words'),
  gpus: pathOf('hardware/gpus'),
  migProfiles: pathOf('hardware/mig-profiles'),
  gpuInstances: pathOf('hardware/gpu-instances'),
  weightFormats: pathOf('hardware/weight-formats'),
  models: pathOf('hardware/models(?:-[\\w-]+)?'),
  quantization: pathOf('hardware/quantization'),
} as const;
export type TableKind = keyof typeof TABLE_PATHS;

function pathOf(name: string): RegExp {
  return new RegExp(`^${name}\\.ya?ml$`);
}

/** What a file of tables is, and whom its rows are about; undefined for any other file. */
export function tableAt(path: string): { readonly kind: TableKind; readonly of: string } | undefined {
  for (const [kind, pattern] of Object.entries(TABLE_PATHS)) {
    const match = pattern.exec(path);
    if (match !== null) return { kind: kind as TableKind, of: match[1] ?? '' };
  }
  return undefined;
}
