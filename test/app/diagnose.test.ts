import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diagnoseSource } from '../../src/app/diagnose.ts';
import type { Citation } from '../../src/model/citation.ts';
import type { Facts } from '../../src/model/fact.ts';
import { FIXED_FILES } from '../../src/model/snapshot.ts';
import { Diagnosis } from '../../src/model/verdict.ts';
import { aSnapshot, COMPILED_PHRASES, INCIDENTS, judge, PHRASES, PLAYBOOKS } from '../playbooks/shipped.ts';

const deps = { phrases: COMPILED_PHRASES, judge };
const RUNS = process.env.OOM_TEST_LONG === '1' ? 2000 : 60;

function filesOf(incident: string): Record<string, string> {
  const folder = join(PLAYBOOKS, 'oom/incidents', incident);
  return Object.fromEntries(readdirSync(folder).map((file) => [file, readFileSync(join(folder, file), 'utf8')]));
}

function citations(facts: Facts): Citation[] {
  return [...facts.values()].flatMap((fact) => (fact.kind === 'known' ? fact.from : []));
}

/** What is wrong with a citation, looked up in the snapshot itself. */
function fault(citation: Citation, files: Readonly<Record<string, string>>): string | undefined {
  const text = files[citation.file];
  if (text === undefined) return `${citation.file} is not in the snapshot`;
  if (citation.kind === 'line') {
    const line = text.split('\n')[citation.line - 1];
    return line?.includes(citation.text) === true
      ? undefined
      : `${citation.file}:${citation.line} does not hold ${citation.text}`;
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
  const value = citation.path
    .slice(1)
    .split('/')
    .reduce<unknown>(
      (at, key) => (at as Record<string, unknown> | undefined)?.[key.replaceAll('~1', '/').replaceAll('~0', '~')],
      json,
    );
  return JSON.stringify(value)?.startsWith(citation.text.slice(0, 100)) === true
    ? undefined
    : `${citation.path} is ${JSON.stringify(value)}, not ${citation.text}`;
}

describe('the diagnosis of a snapshot', () => {
  it.each(INCIDENTS)('cites only what stands in the snapshot byte for byte: %s', async (incident) => {
    const files = filesOf(incident);

    const { facts, diagnosis } = await diagnoseSource(aSnapshot(files), deps);

    const cited = [...citations(facts), ...diagnosis.verdict.evidence.flatMap(({ from }) => from)];
    expect(cited.length).toBeGreaterThan(0);
    expect(cited.map((citation) => fault(citation, files)).filter((wrong) => wrong !== undefined)).toEqual([]);
  });

  it.each(INCIDENTS)('is the same however the log is cut into chunks: %s', async (incident) => {
    const files = filesOf(incident);

    const whole = await diagnoseSource(aSnapshot(files, 1 << 20), deps);
    const bits = await diagnoseSource(aSnapshot(files, 37), deps);

    expect(bits.diagnosis).toEqual(whole.diagnosis);
  });

  it('of an empty folder is plane unknown and names what is missing', async () => {
    const { diagnosis, capture, series } = await diagnoseSource(aSnapshot({}), deps);

    expect(diagnosis.verdict).toMatchObject({
      plane: 'unknown',
      cause: 'unknown',
      certain: false,
      id: 'a-snapshot',
      evidence: [],
    });
    expect(diagnosis.next.join(' ')).toContain('previous log');
    expect([capture, series]).toEqual([undefined, undefined]);
  });

  it('of a folder that can not be listed is plane unknown too', async () => {
    const source = { ...aSnapshot({}), list: () => Promise.reject(new Error('gone')) };

    const { diagnosis } = await diagnoseSource(source, deps);

    expect(diagnosis.verdict.plane).toBe('unknown');
  });

  it('goes on with the other files where one can not be read', async () => {
    const files = filesOf('startup-kv-room');
    const source = {
      ...aSnapshot({ ...files, 'metrics.txt': '' }),
      read: (file: string) =>
        file === 'metrics.txt' ? Promise.reject(new Error('gone')) : Promise.resolve(files[file] ?? ''),
    };

    const { diagnosis } = await diagnoseSource(source, deps);

    expect(diagnosis.verdict.finding).toBe('gpu-startup-kv-refused');
  });

  it('hands the capture and the series on to the report', async () => {
    const { series } = await diagnoseSource(aSnapshot(filesOf('oomkilled-chronic')), deps);

    expect(series?.series.map(({ id }) => id)).toContain('container.memory.working-set');
  });

  it('never reads labels or notes that stand beside an incident', async () => {
    const bare = { 'incident.json': '{"uptime":"startup"}' };
    const labelled = {
      'incident.json': '{"uptime":"startup","label":{"plane":"gpu"},"title":"CUDA OOM","notes":"OOMKilled"}',
    };

    const [a, b] = await Promise.all([bare, labelled].map((files) => diagnoseSource(aSnapshot(files), deps)));

    expect(b?.diagnosis.verdict).toEqual(a?.diagnosis.verdict);
  });
});

// Lines that mean something, numbers that are odd, and rubbish, in any file.
const anyLine = fc.oneof(
  fc.constantFrom(...PHRASES.flatMap(({ must }) => must)),
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

describe('any snapshot at all', () => {
  it('ends in a valid verdict, the same one twice, and cites what is there', async () => {
    await fc.assert(
      fc.asyncProperty(anyFiles, async (files) => {
        const first = await diagnoseSource(aSnapshot(files), deps);
        const again = await diagnoseSource(aSnapshot(files), deps);

        expect(Diagnosis.safeParse(first.diagnosis).error).toBeUndefined();
        expect(again.diagnosis).toEqual(first.diagnosis);
        expect(citations(first.facts).flatMap((citation) => fault(citation, files) ?? [])).toEqual([]);
      }),
      { numRuns: RUNS, seed: 914 },
    );
  });
});
