import { Phrase, phraseExpression } from '../model/phrase.ts';
import type { Problem } from '../model/problem.ts';
import { unboundedPart } from './linear-pattern.ts';
import type { Locate } from './problem.ts';
import { shape } from './shape-problems.ts';
import { readYaml } from './yaml-source.ts';

export type ParsedPhrases = { readonly phrases: Phrase[]; readonly problems: Problem[] };

type Place = { readonly path: string; readonly locate: Locate };

/** Reads phrases.yaml. `phrases` holds the sound entries, `problems` what is wrong with the others; never throws. */
export function parsePhrases(yamlText: string, fileName: string): ParsedPhrases {
  const source = readYaml({ path: fileName, text: yamlText });
  if (source.kind === 'refused') return { phrases: [], problems: source.problems.map(toFileProblem) };
  const place = { path: fileName, locate: source.locate };
  if (!Array.isArray(source.value)) {
    return { phrases: [], problems: [problemAt(place, [], 'must be a list of phrases, each beginning with `- id:`')] };
  }
  const phrases: Phrase[] = [];
  const problems: Problem[] = [];
  const lineOf = new Map<string, number>();
  for (const [index, value] of source.value.entries()) {
    const read = readEntry(value, index, place);
    const again = read.phrase === undefined ? [] : secondEntry(read.phrase.id, index, { place, lineOf });
    problems.push(...read.problems, ...again);
    if (read.phrase !== undefined && read.problems.length + again.length === 0) phrases.push(read.phrase);
  }
  return { phrases, problems };
}

function readEntry(value: unknown, index: number, place: Place): { phrase: Phrase | undefined; problems: Problem[] } {
  const entry: Place = { path: place.path, locate: (keys, key) => place.locate([index, ...keys], key) };
  const shaped = shape(Phrase, value, entry);
  if (shaped.kind === 'refused') return { phrase: undefined, problems: shaped.problems.map(toFileProblem) };
  return { phrase: shaped.value, problems: checkPhrase(shaped.value, entry) };
}

function secondEntry(id: string, index: number, { place, lineOf }: { place: Place; lineOf: Map<string, number> }) {
  const first = lineOf.get(id);
  const { line } = place.locate([index, 'id']);
  if (first === undefined) lineOf.set(id, line);
  return first === undefined ? [] : [problemAt(place, [index, 'id'], `${id} stands twice, first in line ${first}`)];
}

function checkPhrase(phrase: Phrase, place: Place): Problem[] {
  const key = phrase.pattern === undefined ? 'text' : 'pattern';
  const expression = compile(phrase);
  if (expression === undefined) {
    return [problemAt(place, [key], `\`${key}\` is no regular expression that Node understands`)];
  }
  const unbounded = phrase.pattern === undefined ? undefined : unboundedPart(phrase.pattern);
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

type Line = { readonly line: string; readonly at: readonly PropertyKey[]; readonly place: Place };

function checkMust(phrase: Phrase, expression: RegExp, { line, at, place }: Line): Problem[] {
  const problems: Problem[] = [];
  if (!expression.test(line)) problems.push(problemAt(place, at, `this line does not match ${phrase.id}`));
  if (!phrase.literals.some((literal) => line.includes(literal))) {
    problems.push(
      problemAt(place, at, `this line holds none of the literals of ${phrase.id}, so it would never be found`),
    );
  }
  return problems;
}

function checkMeans({ means, pattern }: Phrase, place: Place): Problem[] {
  const groups = new Set([...(pattern ?? '').matchAll(/\(\?<(\w+)>/g)].map(([, name]) => name));
  const named = [...(means ?? '').matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
  return named
    .filter((name) => !groups.has(name))
    .map((name) => problemAt(place, ['means'], `\`pattern\` has no group called ${name}`));
}

function checkStars(phrase: Phrase, place: Place): Problem[] {
  const { text } = phrase;
  if (text === undefined) return [];
  if (text.startsWith('*') || text.endsWith('*') || text.includes('**')) {
    return [
      problemAt(place, ['text'], '`*` stands between two pieces of text, never at an end and never twice in a row'),
    ];
  }
  return [];
}

function compile(phrase: Phrase): RegExp | undefined {
  try {
    return phraseExpression(phrase);
  } catch {
    return undefined;
  }
}

function problemAt(place: Place, keys: readonly PropertyKey[], message: string): Problem {
  return { file: place.path, line: place.locate(keys).line, message };
}

function toFileProblem({ file, line, message }: Problem): Problem {
  return { file, line, message };
}
