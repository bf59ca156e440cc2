const STAMP = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})) ?/;

/** The time (epoch ms) that the kubelet put before a line; undefined where it put none. */
export function stampOf(line: string): number | undefined {
  const at = Date.parse(STAMP.exec(line)?.[1] ?? '');
  return Number.isNaN(at) ? undefined : at;
}

/** The times of the first and last lines that bear one. */
export function stampsOf(text: string): { readonly first: number | undefined; readonly last: number | undefined } {
  const head = text.slice(0, 65_536).split('\n');
  const tail = text.slice(-65_536).split('\n').reverse();
  const pick = (lines: readonly string[]) => lines.map(stampOf).find((at) => at !== undefined);
  return { first: pick(head), last: pick(tail) };
}

// The kubelet may fail after it has answered 200; it then writes this where the log should go on.
const FAILURES = ['failed to try resolving symlinks in path', 'unable to retrieve container logs for'];

/** Parts a log from the words of a kubelet that failed on the way. Lines of the log itself bear a time, those words do not. */
export function splitFailure(text: string): { readonly text: string; readonly failed: boolean } {
  const start = text.lastIndexOf('\n', text.length - 2) + 1;
  const last = text.slice(start);
  const failed = last.length < 2000 && stampOf(last) === undefined && FAILURES.some((words) => last.startsWith(words));
  return { text: failed ? text.slice(0, start) : text, failed };
}
