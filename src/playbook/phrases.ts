import { z } from 'zod';
import { patternFault } from '../model/linear-pattern.ts';
import { type LineExpression, Phrase, phraseExpression } from '../model/phrase.ts';
import { unboundedPart } from './linear-pattern.ts';
import type { Locate, Problem } from './problem.ts';
import { shape } from './shape-problems.ts';
import { readYaml, type TextFile } from './yaml-source.ts';

/** `entries` are the sound ones with their places. */
export type ParsedPhrases = {
  readonly phrases: Phrase[];
  readonly problems: Problem[];
  readonly entries: readonly SignatureEntry[];
};

type At = { readonly path: string; readonly locate: Locate };
export type SignatureEntry = { readonly phrase: Phrase; readonly at: At };

/** Reads files of phrases. `phrases` holds the sound entries, `problems` what is wrong with the others; never throws. */
export function parsePhrases(files: readonly TextFile[]): ParsedPhrases {
  const problems: Problem[] = [];
  const first = new Map<string, SignatureEntry>();
  for (const file of files) {
    for (const entry of readFile(file, problems)) {
      const before = first.get(entry.phrase.id);
      if (before === undefined) first.set(entry.phrase.id, entry);
      else problems.push(secondEntry(entry, before));
    }
  }
  const entries = [...first.values()];
  return { phrases: entries.map(({ phrase }) => phrase), problems, entries };
}

function readFile(file: TextFile, problems: Problem[]): SignatureEntry[] {
  const source = readYaml(file);
  if (source.kind === 'refused') {
    problems.push(...source.problems);
    return [];
  }
  const whole = { path: file.path, locate: source.locate };
  if (!Array.isArray(source.value)) {
    problems.push(problemAt(whole, [], 'must be a list of phrases, each beginning with `- id:`'));
    return [];
  }
  const isOwn = isOwnPattern(file);
  return source.value.flatMap((value: unknown, index): SignatureEntry[] => {
    const at: At = { path: file.path, locate: (keys, key) => source.locate([index, ...keys], key) };
    if (file.isChecked && file.own === undefined) return [{ phrase: value as Phrase, at }];
    const shaped = shape(Phrase, value, at);
    if (shaped.kind === 'refused') {
      problems.push(...shaped.problems);
      return [];
    }
    const phrase = isOwn(shaped.value) ? { ...shaped.value, isOwn: true } : shaped.value;
    const found = checkPhrase(phrase, at);
    problems.push(...found);
    return found.length > 0 ? [] : [{ phrase, at }];
  });
}

const Patterns = z.array(z.object({ pattern: z.string().optional() }).catch({}));

// What is copied from the shipped file of the same path was checked before it was shipped.
function isOwnPattern({ own }: TextFile): (phrase: Phrase) => boolean {
  if (own === undefined) return () => false;
  const source = own.shipped && readYaml(own.shipped);
  const shipped = source?.kind === 'read' ? Patterns.safeParse(source.value).data : undefined;
  const known = new Set(shipped?.flatMap(({ pattern }) => pattern ?? []));
  return ({ pattern }) => pattern === undefined || !known.has(pattern);
}

function secondEntry({ phrase, at }: SignatureEntry, before: SignatureEntry): Problem {
  const place = `${before.at.path}:${before.at.locate(['id']).line}`;
  return problemAt(at, ['id'], `${phrase.id} is defined in ${place} already`);
}

function checkPhrase(phrase: Phrase, place: At): Problem[] {
  const key = phrase.pattern === undefined ? 'text' : 'pattern';
  const fault = phrase.isOwn && phrase.pattern !== undefined ? patternFault(phrase.pattern) : undefined;
  if (fault !== undefined) return [problemAt(place, [key], `\`${key}\` ${fault}`)];
  const expression = compile(phrase);
  if (expression === undefined) {
    return [problemAt(place, [key], `\`${key}\` is no regular expression that Node understands`)];
  }
  const unbounded = phrase.isOwn || phrase.pattern === undefined ? undefined : unboundedPart(phrase.pattern);
  return [
    ...(unbounded === undefined ? [] : [problemAt(place, [key], unbounded)]),
    ...checkStars(phrase, place),
    ...checkMeans(phrase, place),
    ...phrase.must.flatMap((line, i) => checkMust(phrase, expression, { line, at: ['must', i], place })),
    ...(phrase.mustNot ?? []).flatMap((line, i) =>
      expression.test(line)
        ? [problemAt(place, ['mustNot', i], `this line matches ${phrase.id}, and \`mustNot\` says that it does not`)]
        : [],
    ),
  ];
}

type Line = { readonly line: string; readonly at: readonly PropertyKey[]; readonly place: At };

function checkMust(phrase: Phrase, expression: LineExpression, { line, at, place }: Line): Problem[] {
  const problems: Problem[] = [];
  if (!expression.test(line)) problems.push(problemAt(place, at, `this line does not match ${phrase.id}`));
  if (!phrase.literals.some((literal) => line.includes(literal))) {
    problems.push(
      problemAt(place, at, `this line holds none of the literals of ${phrase.id}, so it would never be found`),
    );
  }
  return problems;
}

function checkMeans({ means, pattern }: Phrase, place: At): Problem[] {
  const groups = new Set([...(pattern ?? '').matchAll(/\(\?<(\w+)>/g)].map(([, name]) => name));
  const named = [...(means ?? '').matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
  return named
    .filter((name) => !groups.has(name))
    .map((name) => problemAt(place, ['means'], `\`pattern\` has no group called ${name}`));
}

function checkStars(phrase: Phrase, place: At): Problem[] {
  const { text } = phrase;
  if (text === undefined) return [];
  if (text.startsWith('*') || text.endsWith('*') || text.includes('**')) {
    return [
      problemAt(place, ['text'], '`*` stands between two pieces of text, never at an end and never twice in a row'),
    ];
  }
  return [];
}

function compile(phrase: Phrase): LineExpression | undefined {
  try {
    return phraseExpression(phrase);
  } catch {
    return undefined;
  }
}

function problemAt({ path, locate }: At, keys: readonly PropertyKey[], message: string): Problem {
  return { file: path, ...locate(keys), message, severity: 'error' };
}
