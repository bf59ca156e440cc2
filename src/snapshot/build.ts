import { type Capture, FIXED_FILES, FileName, type Snapshot } from '../model/snapshot.ts';
import type { Redactor } from './redact.ts';
import { redactJson } from './redact-json.ts';

export type SnapshotParts = {
  readonly id: string;
  readonly files: Readonly<Record<string, string>>;
  readonly capture: Capture;
  readonly redactor: Redactor;
};

/** Redacts every file and adds incident.json with how it was taken. Files stand in a fixed order, JSON with two blanks of indent, so that a round trip gives the same bytes. */
export function buildSnapshot(parts: SnapshotParts): Snapshot {
  const incident = JSON.stringify({ id: parts.id, kubernetes: true, capture: parts.capture });
  const all = { ...parts.files, 'incident.json': incident };
  const names = Object.keys(all).filter((name) => FileName.safeParse(name).success);
  const entries = names
    .toSorted(byPlace)
    .map((name) => [name, cleanFile(name, all[name as keyof typeof all] ?? '', parts.redactor)]);
  return { id: parts.id, files: Object.fromEntries(entries) };
}

function cleanFile(name: string, text: string, redactor: Redactor): string {
  // A byte order mark is no part of the text; readers of folders leave it out too.
  const bare = text.replace(/^\ufeff+/, '');
  const json = name.endsWith('.json') ? cleanJson(bare, redactor) : undefined;
  return toUtf8(json ?? redactor.redact(bare));
}

// What is no JSON after all is redacted as text.
function cleanJson(text: string, redactor: Redactor): string | undefined {
  try {
    return `${JSON.stringify(redactJson(JSON.parse(text), redactor), null, 2)}\n`;
  } catch {
    return undefined;
  }
}

// A lone surrogate cannot be written to a file and read back the same.
function toUtf8(text: string): string {
  return text.toWellFormed();
}

function byPlace(a: string, b: string): number {
  return place(a) - place(b) || (a < b ? -1 : 1);
}

function place(name: string): number {
  const fixed = FIXED_FILES.indexOf(name);
  return fixed === -1 ? FIXED_FILES.length : fixed;
}
