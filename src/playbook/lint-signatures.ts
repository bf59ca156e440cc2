import { CAPTURES } from '../model/captures.ts';
import { type Signature, signatureExpression } from '../model/signature.ts';
import { type Problem, unknownName } from './problem.ts';
import type { SignatureEntry } from './signatures.ts';

/** What is wrong in signatures that can be used all the same. */
export function lintSignatures(entries: readonly SignatureEntry[]): readonly Problem[] {
  return entries.flatMap((entry) => {
    const { signature } = entry;
    return [...lintCaptures(signature), ...lintFigures(signature), ...lintMeans(signature), ...lintTime(signature)].map(
      ({ keys, message }): Problem => ({
        file: entry.at.path,
        ...entry.at.locate(keys),
        message,
        severity: 'error',
      }),
    );
  });
}

type Found = { readonly keys: readonly PropertyKey[]; readonly message: string };

function lintCaptures({ pattern = '', captures = {}, means = '' }: Signature): Found[] {
  const groups = groupsOf(pattern);
  const strange = [...groups].filter((name) => !CAPTURES.has(name) && !means.includes(`{${name}}`));
  const empty = Object.keys(captures).filter((name) => !groups.has(name));
  return [
    ...strange.map((name) => ({ keys: ['pattern'], message: unknownName('capture', name, [...CAPTURES]) })),
    ...empty.map((name) => ({ keys: ['captures', name], message: `\`pattern\` has no group called ${name}` })),
  ];
}

function groupsOf(pattern: string): ReadonlySet<string> {
  return new Set([...pattern.matchAll(/\(\?<(\w+)>/g)].map(([, name = '']) => name));
}

function lintFigures({ pattern = '', figures = [] }: Signature): Found[] {
  const groups = groupsOf(pattern);
  return figures.flatMap(({ capture, plus, each, only = {} }, i) => {
    const named = [capture, plus, each, ...Object.keys(only)].filter((name) => name !== undefined);
    return named
      .filter((name) => !groups.has(name))
      .map((name) => ({ keys: ['figures', i], message: `\`pattern\` has no group called ${name}` }));
  });
}

const DECIDES: ReadonlySet<Signature['weight']> = new Set(['rules-out', 'strong', 'proof']);

function lintMeans({ means, plane, weight }: Signature): Found[] {
  const isNone = plane === 'none';
  if (means === undefined) {
    const message = '`means` is missing: the finding shows it as the meaning of a line that is not about memory';
    return isNone && DECIDES.has(weight) ? [{ keys: ['id'], message }] : [];
  }
  const isSentence = /^[\p{Lu}\d].*\.$|^kubelet .*\.$/u.test(means);
  return [
    ...(isNone ? [] : [{ keys: ['means'], message: '`means` is shown only with plane none' }]),
    ...(isSentence ? [] : [{ keys: ['means'], message: '`means` must be whole sentences' }]),
  ];
}

// The most that a signature ever sees at once; what is quadratic takes seconds on it.
const MOST_CHARACTERS = 16 * 1024;
const MOST_MS = 1500;

function lintTime({ must, ...signature }: Signature): Found[] {
  if (signature.pattern === undefined) return [];
  const expression = signatureExpression({ ...signature, flags: signature.flags });
  const seed = (must[0] ?? '').slice(0, 20).padEnd(20, '1');
  const from = performance.now();
  expression.test(seed.repeat(MOST_CHARACTERS / 20));
  const isSlow = performance.now() - from > MOST_MS;
  return isSlow
    ? [{ keys: ['pattern'], message: `needs more than ${MOST_MS} ms for a line that repeats its own start` }]
    : [];
}
