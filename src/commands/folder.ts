import type { SnapshotSource } from '../app/ports.ts';
import type { Diagnosed } from '../app/triage/investigate.ts';
import type { Config } from '../config.ts';
import { looksLikeText, readHead } from '../folder/evidence-file.ts';
import { itemsOf } from '../folder/kubernetes-objects.ts';
import { openEvidence, STDIN } from '../folder/open-evidence.ts';
import { isJson, parseJson, parseJsonFile } from '../model/json-file.ts';
import { ONE_OBJECT_FILES, parseLogName, SeriesFile } from '../model/snapshot.ts';
import { createRedactor } from '../snapshot/redact.ts';
import { redactJson } from '../snapshot/redact-json.ts';
import type { Terminal } from './terminal.ts';

const HEAD_BYTES = 4096;

/** The evidence of one incident, wherever it lies; what of it cannot be judged is said on stderr. Throws OomError. */
export async function openFolder(terminal: Terminal, command: string, path: string): Promise<SnapshotSource> {
  const source = await openEvidence(path, terminal.stdin);
  await sayRemarks(terminal, `oom ${command}: ${path}`, source);
  return source;
}

/** Says on stderr what of a snapshot cannot be judged. */
export async function sayRemarks(terminal: Terminal, about: string, source: SnapshotSource): Promise<void> {
  for (const remark of await remarksOn(source)) {
    terminal.progress(undefined);
    terminal.err(`${about}: ${remark}`);
  }
}

/** Takes secrets out of what is about to be shown. What `oom collect` wrote has none; a folder made by hand may. */
export function redactScreen<T>({ redaction }: Config, value: T): T {
  return redactJson(value, createRedactor({ patterns: redaction.patterns })) as T;
}

/** A finding that cites lines by the name of the file as it was given: `vllm.log:17`, where the snapshot has `previous.log`. */
export function citeAsGiven(finding: Diagnosed, { nameOf }: SnapshotSource): Diagnosed {
  if (nameOf === undefined) return finding;
  const named = <T>(value: T): T => {
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map(named) as T;
    const copy = Object.fromEntries(Object.entries(value).map(([key, one]) => [key, named(one)]));
    return (isLine(copy) ? { ...copy, file: givenName(nameOf(copy.file)) } : copy) as T;
  };
  const facts = new Map([...finding.facts].map(([id, fact]) => [id, named(fact)] as const));
  return { ...finding, diagnosis: named(finding.diagnosis), facts };
}

const isLine = (one: object): one is { file: string } => 'kind' in one && one.kind === 'line' && 'file' in one;
const givenName = (name: string): string => (name === STDIN ? 'stdin' : name);

async function remarksOn(source: SnapshotSource): Promise<readonly string[]> {
  const files = await source.list();
  const remarks = await Promise.all(files.map((file) => remarkOn(source, file)));
  return remarks.filter((remark) => remark !== undefined);
}

// An unreadable folder is reported where it is read.
async function remarkOn(source: SnapshotSource, file: string): Promise<string | undefined> {
  try {
    if (file.endsWith('.json')) return remarkOnJson(file, await source.read(file), source.nameOf?.(file) ?? file);
    const head = await readHead({ path: file, open: () => source.open(file) }, HEAD_BYTES);
    if (head === '' && parseLogName(file) !== undefined)
      return `${file} is empty: save it again, or name another file.`;
    return looksLikeText(head) ? undefined : `${file} is not text: skipped.`;
  } catch {
    return `${file} is not readable: skipped.`;
  }
}

// Objects of Kubernetes are read for what they have; series are in a form of our own, which is taken whole or not at all.
function remarkOnJson(file: string, text: string, name: string): string | undefined {
  if (!isJson(text)) return `${name} is not valid ${name === file ? 'JSON' : 'YAML, or larger than 8 MiB'}: skipped.`;
  if (isListOf(file, text)) return `${name} is a list: keep only the object of this incident.`;
  if (file !== 'series.json') return undefined;
  const series = parseJsonFile(SeriesFile, text);
  return series.kind === 'value' || series.reason === 'empty'
    ? undefined
    : `${name} is not in the format of \`oom collect\` (${series.detail}): skipped.`;
}

// A list of one was taken for that one.
function isListOf(file: string, text: string): boolean {
  return ONE_OBJECT_FILES.includes(file) && itemsOf(parseJson(text)) !== undefined;
}
