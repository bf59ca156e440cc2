import { parseJsonFile } from '../model/json-file.ts';
import { type Capture, IncidentFile, type Snapshot } from '../model/snapshot.ts';

/** What diagnosis reads from, in memory. It has the form of the port `SnapshotSource`. */
export type SnapshotSourceLike = {
  readonly id: string;
  list(): Promise<readonly string[]>;
  read(file: string): Promise<string>;
  open(file: string): AsyncIterable<Uint8Array>;
};

const CHUNK = 256 * 1024;

/** A snapshot that is already in memory, to be read like any other. */
export function snapshotSource(snapshot: Snapshot): SnapshotSourceLike {
  return {
    id: snapshot.id,
    list: async () => Object.keys(snapshot.files),
    read: async (file) => snapshot.files[file] ?? '',
    async *open(file) {
      const bytes = new TextEncoder().encode(snapshot.files[file] ?? '');
      for (let at = 0; at < bytes.length; at += CHUNK) yield bytes.subarray(at, at + CHUNK);
    },
  };
}

/** From which pod and when a snapshot was collected; undefined where it was not collected by oombot. */
export function captureOf({ files }: Snapshot): Capture | undefined {
  const incident = parseJsonFile(IncidentFile, files['incident.json'] ?? '');
  return incident.kind === 'value' ? incident.value.capture : undefined;
}

/** What a snapshot is about, for people: namespace and pod, else its id. */
export function subjectOf(snapshot: Snapshot): string {
  const capture = captureOf(snapshot);
  return capture === undefined ? snapshot.id : `${capture.namespace}/${capture.pod}`;
}
