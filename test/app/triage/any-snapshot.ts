import fc from 'fast-check';
import { expect } from 'vitest';
import { diagnoseSource } from '../../../src/app/triage/diagnose.ts';
import type { Citation } from '../../../src/model/citation.ts';
import type { Facts } from '../../../src/model/fact.ts';
import { FIXED_FILES } from '../../../src/model/snapshot.ts';
import { Diagnosis } from '../../../src/model/verdict.ts';
import { aSnapshot, COMPILED_SIGNATURES, judge, SIGNATURES } from '../../playbooks/shipped.ts';

const deps = { signatures: COMPILED_SIGNATURES, judge };

/** Every proof of every known fact. */
export function citations(facts: Facts): Citation[] {
  return [...facts.values()].flatMap((fact) => (fact.kind === 'known' ? fact.from : []));
}

/** What is wrong with a citation, looked up in the snapshot itself. */
export function fault(citation: Citation, files: Readonly<Record<string, string>>): string | undefined {
  const text = files[citation.file];
  if (text === undefined) return `${citation.file} is not in the snapshot`;
  if (citation.kind === 'line') {
    const lines = text.split('\n').slice(citation.line - 1);
    const wrong = [citation.text, ...(citation.more ?? [])].findIndex((told, i) => lines[i]?.includes(told) !== true);
    return wrong === -1 ? undefined : `${citation.file}:${citation.line + wrong} does not hold ${citation.text}`;
  }
  const json: unknown = JSON.parse(text);
  if (citation.kind === 'sample') {
    const { series } = json as { series: { id: string; points: [number, number][] }[] };
    const found = series.some(
      ({ id, points }) =>
        id === citation.series && points.some(([at, v]) => at === citation.at && v === citation.value),
    );
    return found ? undefined : `no sample ${citation.series} at ${citation.at}`;
  }
  const keys = citation.path
    .slice(1)
    .split('/')
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
  const at = (path: readonly string[]) =>
    path.reduce<unknown>((found, key) => (found as Record<string, unknown> | undefined)?.[key], json);
  const last = Number(keys.at(-1));
  const told = [citation.text, ...(citation.more ?? [])].map((text, i) => ({
    text,
    value: at(i === 0 ? keys : [...keys.slice(0, -1), String(last + i)]),
  }));
  const wrong = told.find((one) => JSON.stringify(one.value)?.startsWith(one.text.slice(0, 100)) !== true);
  return wrong && `${citation.path} is ${JSON.stringify(wrong.value)}, not ${wrong.text}`;
}

// Lines that mean something, numbers that are odd, and rubbish, in any file.
const anyLine = fc.oneof(
  fc.constantFrom(...SIGNATURES.flatMap(({ must }) => must)),
  fc.constantFrom(
    '',
    '#',
    '{',
    '[]',
    'null',
    '{"status":1}',
    '\u001b[31mERROR\u001b[0m',
    '<!channel> *bold*',
    '\r\r',
    'memory: -1GiB',
  ),
  fc.string({ maxLength: 200 }),
);
const anyFiles = fc.dictionary(
  fc.constantFrom(...FIXED_FILES, 'previous.log', 'current.log', 'engine.previous.log', 'side.current.log'),
  fc.array(anyLine, { maxLength: 12 }).map((lines) => lines.join('\n')),
  { maxKeys: 6 },
);

/** Whatever a snapshot holds: a valid verdict, the same one twice, and every proof stands in it. */
export function anySnapshotHolds(numRuns: number): Promise<void> {
  const property = fc.asyncProperty(anyFiles, async (files) => {
    const first = await diagnoseSource(aSnapshot(files), deps);
    const again = await diagnoseSource(aSnapshot(files), deps);

    expect(Diagnosis.safeParse(first.diagnosis).error).toBeUndefined();
    expect(again.diagnosis).toEqual(first.diagnosis);
    expect(citations(first.facts).flatMap((citation) => fault(citation, files) ?? [])).toEqual([]);
  });
  return fc.assert(property, {
    numRuns,
    seed: 914,
    examples: [[{ 'args.txt': '"\n' }], [{ 'args.txt': '"vllm serve\n' }]],
  });
}
