import { engineName } from '../model/engine-names.ts';
import { behaviorsOf, flagsOf } from '../model/flag-table.ts';
import type { FlagEntry } from '../model/flags-file.ts';
import { capital } from '../model/format-value.ts';
import type { Feature, FeatureState } from '../model/knobs-file.ts';
import { type Block, bold, code, type Message } from '../model/message.ts';
import { clip, counted, list, note, paragraph, quote, say, type Words } from './words/sentence.ts';

/** How an engine is shown: by which command (`/oom` or `oom`), in how many columns, and at most so many flags. */
export type FlagView = { readonly command: string; readonly columns: number; readonly most?: number };

const STATES: Readonly<Record<FeatureState, string>> = {
  no: 'no',
  asked: 'opt-in',
  default: 'on by default',
  always: 'always',
  depends: 'depends on model, platform or release',
};

/** An engine's behaviors by version, and its flags with versions and defaults, one line each. */
export function engineMessage(
  engine: string,
  { command, columns, most = Number.POSITIVE_INFINITY }: FlagView,
): Message {
  const [flags, behaviors] = [flagsOf(engine), behaviorsOf(engine)];
  const rows = flags.slice(0, most).map((entry) => [entry.flag, versionsOf(entry), entry.default] as const);
  const [flag, versions] = [0, 1].map((column) => Math.max(0, ...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map(([a, b, c]) => clip(`${a.padEnd(flag ?? 0)}  ${b.padEnd(versions ?? 0)}  ${c}`, columns));
  const left = flags.length - lines.length;
  const example = flags.find(({ flag }) => !flag.includes(' '))?.flag ?? '';
  return say('info', `${titleOf(engine)}: ${counted(flags.length, 'flag')} by version`, [
    ...list('Behavior', behaviors.map(behaviorWords)),
    ...(lines.length === 0 ? [] : [quote('Flag, versions, default', lines)]),
    ...(left > 0 ? [note(`${left} more flags: \`oom explain ${engine}\` in a terminal.`)] : []),
    note(`What one does: \`${command} explain ${example}\`. "all" is every version that oombot knows.`),
  ]);
}

/** What a flag does, in which versions, and its default, for each engine that has it. */
export function flagBlocks(entries: readonly FlagEntry[]): Block[] {
  return entries.map((entry) => {
    const { engine, flag, aliases = [], effect, instead, safer, note: remark, unverified, source } = entry;
    const behaviors = behaviorsOf(engine).filter(({ by }) => by === flag);
    const versions = versionsOf(entry)
      .replace(/^all$/, 'all versions')
      .replace(/^none$/, 'no version has it');
    const said = [
      sentence(effect),
      remark && sentence(remark),
      safer && `Safer: ${safer}`,
      instead && `Replaced by ${instead}`,
    ];
    return paragraph(
      bold(`${titleOf(engine)} `),
      ...[flag, ...aliases].flatMap((name, i) => [i === 0 ? '' : ', ', code(name)]),
      `: ${versions}${entry.since === 'never' ? '' : `, default ${entry.default}`}\n${said.filter(Boolean).join('. ')}.`,
      ...behaviors.flatMap((one) => ['\n', ...behaviorWords(one)]),
      `\nSource: ${unverified ? 'not read in source' : clip(source, 200)}`,
    );
  });
}

/** A flag that no topic explains. */
export function flagMessage(entries: readonly FlagEntry[]): Message {
  return { ...say('info', entries[0]?.flag.replace(/ \(.*$/, '') ?? '', flagBlocks(entries)), dense: true };
}

// `fp8_e5m2` at its start stays.
function sentence(text: string): string {
  return /^[a-z]+[ ,:;]/.test(text) ? capital(text) : text;
}

function titleOf(engine: string): string {
  return engine === 'any' || engine === 'pytorch' ? 'PyTorch and CUDA' : engineName(engine);
}

function behaviorWords({ says, spans, by, note: remark }: Feature): Words {
  const since = spans.flatMap(({ from, is }) => (from === undefined ? [] : [`${STATES[is]} from ${from}`]));
  return [
    bold(`${capital(since.join(', '))}: `),
    [`${says}${by === undefined ? '' : ` (${by})`}`, remark].filter(Boolean).join('; '),
  ];
}

function versionsOf({ since, until }: FlagEntry): string {
  if (since === 'never') return 'none';
  if (since === null) return until === null ? 'all' : `to ${until}`;
  return until === null ? `from ${since}` : `${since} to ${until}`;
}
