import type { FlagEntry } from '../src/model/flags-file.ts';
import type { Feature, FeatureState } from '../src/model/knobs-file.ts';
import { tablesInForce } from '../src/model/reference-tables.ts';

const INTRO = `# Engines by version

This page is made from the tables that oombot decides by (\`flags*.yaml\` and the features of \`knobs.yaml\` in \`playbooks/engines\`, \`playbooks/platform\`; \`node scripts/write-docs.ts\` writes it, a test compares it). A flag is proposed only where the version of the engine has it; where the version is not known, only one that every version has. Upper bounds hold for all patch releases; \`all\` is every version that was read, which the source names. The lines that versions print stand in \`signatures*.yaml\` next to them, with their ranges; \`profiles.yaml\` says what is proposed.
`;

const STATES: Readonly<Record<FeatureState, string>> = {
  no: 'no',
  asked: 'where asked for',
  default: 'unless turned off',
  always: 'always',
  depends: 'by model, platform or release',
};

/** docs/versions.md. */
export function versionsPage(): string {
  const { features, flags } = tablesInForce();
  const engines = [...new Set(flags.map(({ engine }) => engine))];
  return [
    INTRO,
    '## Behaviours\n',
    '| engine | what | versions | source |\n| --- | --- | --- | --- |',
    ...features.map(featureRow),
    ...engines.map((engine) => flagsOf(engine, flags)),
    '',
  ].join('\n');
}

function featureRow({ engine, says, spans, by, note, source }: Feature): string {
  const versions = spans.map(({ from, is }) => `${from === undefined ? 'before' : `from ${from}`}: ${STATES[is]}`);
  const said = [says, by && `\`${by}\``, note].filter((part) => part !== undefined).join('; ');
  return row([engine, said, versions.join('; '), source]);
}

function flagsOf(engine: string, flags: readonly FlagEntry[]): string {
  const own = flags.filter((entry) => entry.engine === engine);
  const head = `\n## ${engine === 'any' ? 'Whatever runs on CUDA' : engine}\n`;
  return [
    head,
    '| flag | versions | default | what it does | source |\n| --- | --- | --- | --- | --- |',
    ...own.map(flagRow),
  ].join('\n');
}

function flagRow(entry: FlagEntry): string {
  const { flag, aliases = [], effect, instead, unverified } = entry;
  const names = [flag, ...aliases].map((name) => `\`${name}\``).join(', ');
  const said = [effect, instead && `replaced by \`${instead}\``, unverified && 'not read in source'];
  return row([names, versionsOf(entry), entry.default, said.filter(Boolean).join('; '), entry.source]);
}

function versionsOf({ since, until }: FlagEntry): string {
  if (since === 'never') return 'none';
  if (since === null) return until === null ? 'all' : `to ${until}`;
  return until === null ? `from ${since}` : `${since} to ${until}`;
}

function row(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}
