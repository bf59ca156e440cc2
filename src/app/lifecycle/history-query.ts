import { OomError } from '../../model/errors.ts';
import { nearest } from '../../model/nearest.ts';
import { readTime } from './history-time.ts';

/** What `history` asks for. Times are epoch ms; `until` is the first moment that is no longer asked for. */
export type HistoryQuery = {
  /** As typed: a workload, or words of a cause where no incident has such a workload. */
  readonly subject: string;
  readonly cause: string;
  readonly since: number | undefined;
  readonly until: number | undefined;
  readonly page: number;
  readonly accuracy: boolean;
};

type Asked = { readonly now: number; readonly commandName: string };

const OPTIONS = ['--cause', '--since', '--until', '--accuracy'] as const;

/** `[workload] [--cause words] [--since time] [--until time] [page]`, or `--accuracy`. Throws OomError `bad-input`. */
export function parseHistory(words: readonly string[], asked: Asked): HistoryQuery {
  const values = new Map<string, string[]>([['', []]]);
  let current = '';
  for (const word of words.flatMap(splitAssignment)) {
    if (!word.startsWith('--')) {
      values.get(current)?.push(word);
      continue;
    }
    if (values.has(word)) throw bad(asked, `${word} is given twice.`);
    if (!isOption(word)) throw unknownOption(asked, word);
    current = word;
    values.set(word, []);
  }
  return queryOf(values, asked);
}

function splitAssignment(word: string): string[] {
  const [, name = '', value = ''] = /^(--[a-z]+)=(.*)$/s.exec(word) ?? [];
  return name === '' ? [word] : [name, ...(value === '' ? [] : [value])];
}

function isOption(word: string): boolean {
  return (OPTIONS as readonly string[]).includes(word);
}

function queryOf(values: ReadonlyMap<string, readonly string[]>, asked: Asked): HistoryQuery {
  const { rest, page } = withoutPage(values);
  const accuracy = rest.get('--accuracy');
  const stray =
    accuracy?.[0] ?? (accuracy && [...rest].find(([key, own]) => key !== '--accuracy' && own.length > 0)?.[1][0]);
  if (stray !== undefined) throw bad(asked, `Unexpected “${stray}” with --accuracy.`);
  if (rest.get('--cause')?.length === 0)
    throw bad(asked, '--cause needs a cause, such as `cuda oom` or `gpu.startup`.');
  const [since, until] = [timeOf(rest, '--since', asked), timeOf(rest, '--until', asked)];
  if (since !== undefined && until !== undefined && since >= until) throw bad(asked, '--since is not before --until.');
  return {
    subject: (rest.get('') ?? []).join(' '),
    cause: (rest.get('--cause') ?? []).join(' '),
    ...{ since, until, page: page ?? 1, accuracy: accuracy !== undefined },
  };
}

const PAGE = /^[1-9]\d{0,5}$/;

// The page is a number at the end, of all or of the workload.
function withoutPage(values: ReadonlyMap<string, readonly string[]>): {
  readonly rest: ReadonlyMap<string, readonly string[]>;
  readonly page: number | undefined;
} {
  const last = [...values.keys()].at(-1) ?? '';
  for (const key of [last, '']) {
    const own = values.get(key) ?? [];
    const isOnlyValue = key !== '' && own.length === 1;
    const word = own.at(-1) ?? '';
    if (!PAGE.test(word) || isOnlyValue) continue;
    return { rest: new Map([...values, [key, own.slice(0, -1)]]), page: Number(word) };
  }
  return { rest: values, page: undefined };
}

function timeOf(
  values: ReadonlyMap<string, readonly string[]>,
  option: '--since' | '--until',
  asked: Asked,
): number | undefined {
  const words = values.get(option);
  if (words === undefined) return undefined;
  const typed = words.join(' ');
  const read = readTime(typed, { now: asked.now, isEnd: option === '--until' });
  if (read.kind === 'time') return read.at;
  const shown = typed === '' ? 'nothing' : `“${typed.slice(0, 60)}”`;
  throw bad(asked, `${option} takes a time, not ${shown}${read.why}.`);
}

function unknownOption(asked: Asked, word: string): OomError {
  const near = nearest(word, OPTIONS);
  return bad(asked, `Unknown option ${word.slice(0, 60)}.${near === undefined ? '' : ` Did you mean \`${near}\`?`}`);
}

function bad({ commandName }: Asked, says: string): OomError {
  return new OomError('bad-input', says, {
    next: `Type \`${commandName} history [workload] [--cause cuda oom] [--since 7d] [--until 2026-11-01] [page]\` or \`${commandName} history --accuracy\`. Times are UTC.`,
  });
}
