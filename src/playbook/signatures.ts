import { z } from 'zod';
import { patternFault } from '../model/linear-pattern.ts';
import { type LineExpression, Signature, signatureExpression } from '../model/signature.ts';
import { unboundedPart } from './linear-pattern.ts';
import type { Locate, Problem } from './problem.ts';
import { shape } from './shape-problems.ts';
import { readYaml, type TextFile } from './yaml-source.ts';

/** `entries` are the sound ones with their places. */
export type ParsedSignatures = {
  readonly signatures: Signature[];
  readonly problems: Problem[];
  readonly entries: readonly SignatureEntry[];
};

type At = { readonly path: string; readonly locate: Locate };
export type SignatureEntry = { readonly signature: Signature; readonly at: At };

/** Reads files of signatures. `signatures` holds the sound entries, `problems` what is wrong with the others; never throws. */
export function parseSignatures(files: readonly TextFile[]): ParsedSignatures {
  const problems: Problem[] = [];
  const first = new Map<string, SignatureEntry>();
  for (const file of files) {
    for (const entry of readFile(file, problems)) {
      const before = first.get(entry.signature.id);
      if (before === undefined) first.set(entry.signature.id, entry);
      else problems.push(secondEntry(entry, before));
    }
  }
  const entries = [...first.values()];
  return { signatures: entries.map(({ signature }) => signature), problems, entries };
}

function readFile(file: TextFile, problems: Problem[]): SignatureEntry[] {
  const source = readYaml(file);
  if (source.kind === 'refused') {
    problems.push(...source.problems);
    return [];
  }
  const whole = { path: file.path, locate: source.locate };
  if (!Array.isArray(source.value)) {
    problems.push(problemAt(whole, [], 'must be a list of signatures, each beginning with `- id:`'));
    return [];
  }
  const isOwn = isOwnPattern(file);
  return source.value.flatMap((value: unknown, index): SignatureEntry[] => {
    const at: At = { path: file.path, locate: (keys, key) => source.locate([index, ...keys], key) };
    if (file.isChecked && file.own === undefined) return [{ signature: value as Signature, at }];
    const shaped = shape(Signature, value, at);
    if (shaped.kind === 'refused') {
      problems.push(...shaped.problems);
      return [];
    }
    const signature = isOwn(shaped.value) ? { ...shaped.value, isOwn: true } : shaped.value;
    const found = checkSignature(signature, at);
    problems.push(...found);
    return found.length > 0 ? [] : [{ signature, at }];
  });
}

const Patterns = z.array(z.object({ pattern: z.string().optional() }).catch({}));

// What is copied from the shipped file of the same path was checked before it was shipped.
function isOwnPattern({ own }: TextFile): (signature: Signature) => boolean {
  if (own === undefined) return () => false;
  const source = own.shipped && readYaml(own.shipped);
  const shipped = source?.kind === 'read' ? Patterns.safeParse(source.value).data : undefined;
  const known = new Set(shipped?.flatMap(({ pattern }) => pattern ?? []));
  return ({ pattern }) => pattern === undefined || !known.has(pattern);
}

function secondEntry({ signature, at }: SignatureEntry, before: SignatureEntry): Problem {
  const place = `${before.at.path}:${before.at.locate(['id']).line}`;
  return problemAt(at, ['id'], `${signature.id} is already defined in ${place}`);
}

function checkSignature(signature: Signature, place: At): Problem[] {
  const key = signature.pattern === undefined ? 'text' : 'pattern';
  const fault = signature.isOwn && signature.pattern !== undefined ? patternFault(signature.pattern) : undefined;
  if (fault !== undefined) return [problemAt(place, [key], `\`${key}\` ${fault}`)];
  const expression = compile(signature);
  if (expression === undefined) {
    return [problemAt(place, [key], `\`${key}\` is not a valid regular expression`)];
  }
  const unbounded = signature.isOwn || signature.pattern === undefined ? undefined : unboundedPart(signature.pattern);
  return [
    ...(unbounded === undefined ? [] : [problemAt(place, [key], unbounded)]),
    ...checkStars(signature, place),
    ...checkMeans(signature, place),
    ...signature.must.flatMap((line, i) => checkMust(signature, expression, { line, at: ['must', i], place })),
    ...(signature.mustNot ?? []).flatMap((line, i) =>
      expression.test(line)
        ? [problemAt(place, ['mustNot', i], `this line is in \`mustNot\` but matches ${signature.id}`)]
        : [],
    ),
  ];
}

type Line = { readonly line: string; readonly at: readonly PropertyKey[]; readonly place: At };

function checkMust(signature: Signature, expression: LineExpression, { line, at, place }: Line): Problem[] {
  const problems: Problem[] = [];
  if (!expression.test(line)) problems.push(problemAt(place, at, `this line does not match ${signature.id}`));
  if (!signature.literals.some((literal) => line.includes(literal))) {
    problems.push(
      problemAt(place, at, `this line has none of the literals of ${signature.id}, so it is never matched`),
    );
  }
  return problems;
}

function checkMeans({ means, pattern }: Signature, place: At): Problem[] {
  const groups = new Set([...(pattern ?? '').matchAll(/\(\?<(\w+)>/g)].map(([, name]) => name));
  const named = [...(means ?? '').matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
  return named
    .filter((name) => !groups.has(name))
    .map((name) => problemAt(place, ['means'], `\`pattern\` has no group called ${name}`));
}

function checkStars(signature: Signature, place: At): Problem[] {
  const { text } = signature;
  if (text === undefined) return [];
  if (text.startsWith('*') || text.endsWith('*') || text.includes('**')) {
    return [problemAt(place, ['text'], '`*` must be between two pieces of text, not at an end and not twice in a row')];
  }
  return [];
}

function compile(signature: Signature): LineExpression | undefined {
  try {
    return signatureExpression(signature);
  } catch {
    return undefined;
  }
}

function problemAt({ path, locate }: At, keys: readonly PropertyKey[], message: string): Problem {
  return { file: path, ...locate(keys), message, severity: 'error' };
}
