import type { Log } from '../../src/app/ports.ts';

type LogEntry = {
  readonly level: 'info' | 'warn' | 'error';
  readonly event: string;
  readonly fields: Readonly<Record<string, unknown>>;
};

export type FakeLog = Log & { readonly entries: readonly LogEntry[]; readonly text: () => string };

/** A log that keeps what it is told. `text` is all of it as JSON, to look for what must not be there. */
export function createFakeLog(): FakeLog {
  const entries: LogEntry[] = [];
  const write =
    (level: LogEntry['level']) =>
    (event: string, fields: Readonly<Record<string, unknown>> = {}): void => {
      entries.push({ level, event, fields });
    };
  return {
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    entries,
    text: () => JSON.stringify(entries),
  };
}
