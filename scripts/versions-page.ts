import type { FlagEntry } from '../src/model/flags-file.ts';
import type { Feature, FeatureState } from '../src/model/knobs-file.ts';
import { tablesInForce } from '../src/model/reference-tables.ts';

const INTRO = `# Engines by version

Generated from \`playbooks/engines\` and \`playbooks/platform\` by \`npm run docs\`; each entry there names its source. oombot proposes a flag only if the engine's version has it. If the version is unknown, it proposes only flags that every version has. \`all\` means every version that was read.
`;

const STATES: Readonly<Record<FeatureState, string>> = {
  no: 'no',
  asked: 'opt-in',
  default: 'on by default',
  always: 'always',
  depends: 'depends on model, platform or release',
};

/** docs/versions.md. */
export function versionsPage(): string {
  const { features, flags } = tablesInForce();
  const engines = [...new Set(flags.map(({ engine }) => engine))];
  return [
    INTRO,
    '## Behavior\n',
    '| engine | what | versions |\n| --- | --- | --- |',
    ...features.map(featureRow),
    ...engines.map((engine) => flagsOf(engine, flags)),
    '',
  ].join('\n');
}

function featureRow({ engine, says, spans, by, note }: Feature): string {
  const versions = spans.map(({ from, is }) => `${from === undefined ? 'before' : `from ${from}`}: ${STATES[is]}`);
  const said = [says, by && `\`${by}\``, note].filter((part) => part !== undefined).join('; ');
  return row([engine, said, versions.join('; ')]);
}

function flagsOf(engine: string, flags: readonly FlagEntry[]): string {
  const own = flags.filter((entry) => entry.engine === engine);
  const head = `\n## ${engine === 'any' ? 'Anything on CUDA' : engine}\n`;
  return [head, '| flag | versions | default | effect |\n| --- | --- | --- | --- |', ...own.map(flagRow)].join('\n');
}

function flagRow(entry: FlagEntry): string {
  const { flag, aliases = [], effect, instead, unverified } = entry;
  const names = [flag, ...aliases].map((name) => `\`${name}\``).join(', ');
  const said = [effect, instead && `replaced by \`${instead}\``, unverified && 'not read in source'];
  return row([names, versionsOf(entry), entry.default, said.filter(Boolean).join('; ')]);
}

function versionsOf({ since, until }: FlagEntry): string {
  if (since === 'never') return 'none';
  if (since === null) return until === null ? 'all' : `to ${until}`;
  return until === null ? `from ${since}` : `${since} to ${until}`;
}

function row(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}
