export type EnvironmentVariable = {
  readonly name: string;
  /** Where the value goes; `*` stands for the only cluster. */
  readonly path: readonly string[];
  readonly kind: 'text' | 'number' | 'list' | 'secret';
};

/** Environment variables apart from OOM_CONFIG; they win over the file. A `secret` may also come from a file, by the name with `_FILE`. */
export const VARIABLES: readonly EnvironmentVariable[] = [
  { name: 'OOM_DEFAULT_CLUSTER', path: ['defaultCluster'], kind: 'text' },
  { name: 'OOM_NAMESPACES', path: ['clusters', '*', 'namespaces'], kind: 'list' },
  { name: 'OOM_PROMETHEUS_URL', path: ['clusters', '*', 'prometheus', 'url'], kind: 'text' },
  { name: 'OOM_PROMETHEUS_TOKEN_FILE', path: ['clusters', '*', 'prometheus', 'bearerTokenFile'], kind: 'text' },
  { name: 'OOM_SLACK_MODE', path: ['slack', 'mode'], kind: 'text' },
  { name: 'OOM_SLACK_HTTP_PORT', path: ['slack', 'port'], kind: 'number' },
  { name: 'OOM_SLACK_COMMAND', path: ['slack', 'command'], kind: 'text' },
  { name: 'OOM_SLACK_API_URL', path: ['slack', 'apiUrl'], kind: 'text' },
  { name: 'SLACK_BOT_TOKEN', path: ['slack', 'botToken'], kind: 'secret' },
  { name: 'SLACK_APP_TOKEN', path: ['slack', 'appToken'], kind: 'secret' },
  { name: 'SLACK_SIGNING_SECRET', path: ['slack', 'signingSecret'], kind: 'secret' },
  { name: 'DATABASE_URL', path: ['store', 'url'], kind: 'secret' },
  { name: 'OOM_STORE_URL', path: ['store', 'url'], kind: 'text' },
  { name: 'OOM_SNAPSHOT_DAYS', path: ['store', 'retentionDays', 'snapshots'], kind: 'number' },
  { name: 'OOM_INCIDENT_DAYS', path: ['store', 'retentionDays', 'incidents'], kind: 'number' },
  { name: 'OOM_WINDOW_MINUTES', path: ['incidents', 'windowMinutes'], kind: 'number' },
  { name: 'OOM_PLAYBOOK_DIRS', path: ['playbooks', 'dirs'], kind: 'list' },
  { name: 'OOM_DEADLINE_SECONDS', path: ['limits', 'deadlineSeconds'], kind: 'number' },
  { name: 'OOM_LOG_LEVEL', path: ['logLevel'], kind: 'text' },
];

const SECRETS = VARIABLES.filter(({ kind }) => kind === 'secret').map(({ name }) => `${name}_FILE`);

export const VARIABLE_NAMES: readonly string[] = [
  'OOM_CONFIG',
  'OOM_PAGER',
  'KUBECONFIG',
  ...VARIABLES.map(({ name }) => name),
  ...SECRETS,
];

// Kubernetes gives every pod variables of the services around it: a service called `oom` makes these. The others are
// of the project's own tests and tools.
const NOT_OURS = /^OOM_(?:SERVICE_|PORT(?:_|$)|TEST_|BENCH_)/;

/** Names that begin with OOM_ and mean nothing: most likely misspelt. */
export function unknownVariables(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  return Object.keys(env).filter(
    (name) => name.startsWith('OOM_') && !NOT_OURS.test(name) && !VARIABLE_NAMES.includes(name),
  );
}

/** The text of a variable as the value its setting wants; what is no number stays text, so that the schema refuses it. */
export function settingOf({ kind }: EnvironmentVariable, text: string): unknown {
  if (kind === 'number') return /^-?\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : text;
  if (kind !== 'list') return kind === 'secret' ? text.trim() : text;
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}
