import { FORMAT, type PlaybookFile, PlaybookPart } from './format.ts';
import type { Locate, LocateIn, Problem } from './problem.ts';
import { shape } from './shape-problems.ts';
import { readYaml, type TextFile } from './yaml-source.ts';

export type Assembled =
  | { readonly kind: 'sound'; readonly raw: PlaybookFile; readonly locate: LocateIn }
  | { readonly kind: 'bad'; readonly problems: readonly Problem[] };

type Part = { readonly path: string; readonly value: PlaybookPart; readonly locate: Locate };

const BY_ID = ['thresholds', 'questions', 'branches', 'findings', 'remedies', 'groups', 'topics'] as const;
type Section = (typeof BY_ID)[number];
const NEEDED = ['playbook', 'questions', 'findings'] as const;

/** Puts the files of a playbook together. An id that two files define is a problem, told with both places; never throws. */
export function assemble(files: readonly TextFile[]): Assembled {
  const read = files.map(readPart);
  const problems = read.flatMap((one) => (Array.isArray(one) ? one : []));
  if (problems.length > 0) return { kind: 'bad', problems };
  const parts = read as readonly Part[];
  const twice = [...parts.flatMap(sharedIds), ...second(parts, 'playbook'), ...second(parts, 'impossible')];
  const lacking = NEEDED.filter((section) => parts.every(({ value }) => value[section] === undefined));
  const missing = lacking.map((section) => missingSection(section, files[0]?.path ?? ''));
  if (twice.length + missing.length > 0) return { kind: 'bad', problems: [...missing, ...twice] };
  return { kind: 'sound', raw: joined(parts), locate: locateAmong(parts) };
}

function readPart(file: TextFile): Part | Problem[] {
  const { path } = file;
  const source = readYaml(file);
  if (source.kind === 'refused') return [...source.problems];
  const { locate } = source;
  const otherFormat = checkFormat(source.value);
  if (otherFormat !== undefined) {
    return [{ file: path, ...locate(['playbook', 'schema']), message: otherFormat, severity: 'error' }];
  }
  const shaped = shape(PlaybookPart, source.value, { path, locate });
  return shaped.kind === 'refused' ? [...shaped.problems] : { path, value: shaped.value, locate };
}

/** A file of another format is told so at once: every other message about it would mislead. */
function checkFormat(value: unknown): string | undefined {
  const head = (value as { playbook?: { schema?: unknown } } | null)?.playbook;
  const schema = head?.schema;
  if (typeof schema !== 'number' || schema === FORMAT) return undefined;
  if (schema > FORMAT) {
    return `this playbook is written in format ${schema}, this oombot reads format ${FORMAT}: upgrade oombot, or use the playbook that came with it`;
  }
  return `this playbook is written in format ${schema}, which this oombot no longer reads: convert it to format ${FORMAT} (playbooks/README.md)`;
}

function sharedIds(part: Part, index: number, parts: readonly Part[]): Problem[] {
  return BY_ID.flatMap((section) =>
    Object.keys(part.value[section] ?? {}).flatMap((id) => {
      const first = parts.slice(0, index).find(({ value }) => has(value[section], id));
      return first === undefined ? [] : [secondOf(part, first, [section, id])];
    }),
  );
}

function second(parts: readonly Part[], section: 'playbook' | 'impossible'): Problem[] {
  const [first, ...others] = parts.filter(({ value }) => value[section] !== undefined);
  return first === undefined ? [] : others.map((part) => secondOf(part, first, [section]));
}

function secondOf(part: Part, first: Part, keys: readonly string[]): Problem {
  const message = `${keys.at(-1)} is already defined in ${first.path}:${first.locate(keys, true).line}`;
  return { file: part.path, ...part.locate(keys, true), message, severity: 'error' };
}

function missingSection(section: string, file: string): Problem {
  return { file, line: 1, column: 1, message: `no file of the playbook has \`${section}\``, severity: 'error' };
}

function joined(parts: readonly Part[]): PlaybookFile {
  const whole: Record<string, unknown> = {};
  for (const section of BY_ID) whole[section] = Object.assign({}, ...parts.map(({ value }) => value[section] ?? {}));
  const one = (section: 'playbook' | 'impossible') => parts.find(({ value }) => value[section])?.value[section];
  return { ...whole, playbook: one('playbook'), impossible: one('impossible') ?? [] } as PlaybookFile;
}

/** Leads each id to the file that defines it, and what has none to the file with the head. */
function locateAmong(parts: readonly Part[]): LocateIn {
  const head = parts.find(({ value }) => value.playbook !== undefined) as Part;
  return (keys, onKey) => {
    const [section, id] = keys as readonly [Section, string];
    const owner = parts.find(({ value }) => {
      const held = value[section];
      return Array.isArray(held) ? held.length > 0 : has(held, id);
    });
    const part = owner ?? head;
    return { file: part.path, ...part.locate(keys, onKey) };
  };
}

function has(map: object | undefined, id: string): boolean {
  return map !== undefined && Object.hasOwn(map, id);
}
