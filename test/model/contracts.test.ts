import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { FACT_CATALOGUE, FACT_IDS } from '../../src/facts/derive-facts.ts';
import { Citation } from '../../src/model/citation.ts';
import { DomainEvent } from '../../src/model/events.ts';
import { Fact, FactEntry } from '../../src/model/fact.ts';
import { Incident, TriageRun } from '../../src/model/incident.ts';
import { Block, Message, Span } from '../../src/model/message.ts';
import { Plan, Run } from '../../src/model/plan.ts';
import { Signature } from '../../src/model/signature.ts';
import {
  Capture,
  FileName,
  IncidentFile,
  logFileName,
  parseLogName,
  SeriesFile,
  Snapshot,
} from '../../src/model/snapshot.ts';
import { bucketOf, Cause, Plane } from '../../src/model/taxonomy.ts';
import { Diagnosis, Remedy, Verdict } from '../../src/model/verdict.ts';
import {
  exampleCapture,
  exampleCitations,
  exampleDiagnosis,
  exampleEvents,
  exampleFactEntry,
  exampleIncident,
  exampleKnownFact,
  exampleRemedy,
  exampleSeriesFile,
  exampleSnapshot,
  exampleTriageRun,
  exampleUnknownFact,
  exampleVerdict,
} from './examples.ts';
import { exampleBlocks, exampleMessage, exampleSignature } from './message-examples.ts';
import { examplePlan, exampleRun } from './plan-examples.ts';

type Contract = readonly [name: string, schema: z.ZodType, example: unknown];

const CONTRACTS: readonly Contract[] = [
  ['Snapshot', Snapshot, exampleSnapshot],
  ['Capture', Capture, exampleCapture],
  ['SeriesFile', SeriesFile, exampleSeriesFile],
  ['FactEntry', FactEntry, exampleFactEntry],
  ['Fact, known', Fact, exampleKnownFact],
  ['Fact, unknown', Fact, exampleUnknownFact],
  ['Verdict', Verdict, exampleVerdict],
  ['Remedy', Remedy, exampleRemedy],
  ['Diagnosis', Diagnosis, exampleDiagnosis],
  ['Plan', Plan, examplePlan],
  ['Run', Run, exampleRun],
  ['Incident', Incident, exampleIncident],
  ['TriageRun', TriageRun, exampleTriageRun],
  ['Message', Message, exampleMessage],
  ['Signature', Signature, exampleSignature],
  ...exampleCitations.map((one): Contract => [`Citation, ${one.kind}`, Citation, one]),
  ...exampleEvents.map((one): Contract => [`DomainEvent, ${one.kind}`, DomainEvent, one]),
  ...exampleBlocks.map((one): Contract => [`Block, ${one.kind}`, Block, one]),
];

describe.each(CONTRACTS)('%s', (_name, schema, example) => {
  it('has an example that parses and survives JSON', () => {
    expect(schema.parse(example)).toEqual(example);
    expect(schema.parse(JSON.parse(JSON.stringify(example)))).toEqual(example);
  });

  it('refuses a key that it does not know, at every depth', () => {
    const objects = pathsOf(example, isStrict);

    expect(objects.length).toBeGreaterThan(0);
    for (const path of objects) {
      const changed = changedAt(example, path, (object) => ({ ...(object as object), stranger: 1 }));
      expect(schema.safeParse(changed).success, `stranger accepted at /${path.join('/')}`).toBe(false);
    }
  });
});

type Path = readonly (string | number)[];

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

// Maps with free names, where another key is another entry.
const FREE = new Set(['files', 'labels']);
function isStrict(value: unknown, path: Path): boolean {
  return isPlain(value) && !FREE.has(String(path.at(-1)));
}

function pathsOf(value: unknown, wanted: (value: unknown, path: Path) => boolean, path: Path = []): Path[] {
  const own = wanted(value, path) ? [path] : [];
  if (typeof value !== 'object' || value === null) return own;
  const entries = Array.isArray(value) ? value.map((v, i) => [i, v] as const) : Object.entries(value);
  return [...own, ...entries.flatMap(([key, inner]) => pathsOf(inner, wanted, [...path, key]))];
}

function changedAt(value: unknown, path: Path, change: (value: unknown) => unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return change(value);
  if (Array.isArray(value)) return value.map((one, i) => (i === step ? changedAt(one, rest, change) : one));
  return { ...(value as object), [step]: changedAt((value as Record<string, unknown>)[step], rest, change) };
}

describe('the examples', () => {
  it('hold one of every kind of event, block, span and citation', () => {
    const kindsOf = (schema: { options: readonly z.ZodObject[] }) =>
      schema.options.map((option) => (option.shape.kind as z.ZodLiteral<string>).value).toSorted();
    const spans = JSON.stringify(exampleBlocks);

    expect(exampleEvents.map(({ kind }) => kind).toSorted()).toEqual(kindsOf(DomainEvent));
    expect(exampleBlocks.map(({ kind }) => kind).toSorted()).toEqual(kindsOf(Block));
    expect(exampleCitations.map(({ kind }) => kind).toSorted()).toEqual(kindsOf(Citation));
    for (const kind of kindsOf(Span)) expect(spans).toContain(`{"kind":"${kind}"`);
  });

  it('belong together: what is cited stands in the snapshot', () => {
    const line = exampleCitations.find((one) => one.kind === 'line');

    expect(exampleSnapshot.files[line?.file ?? '']?.split('\n')[(line?.line ?? 0) - 1]).toBe(line?.text);
    expect(exampleVerdict.id).toBe(exampleSnapshot.id);
    expect(FACT_IDS.has(exampleFactEntry.id)).toBe(true);
  });
});

describe('file names of a snapshot', () => {
  it.each([
    ...'pod.json events.json owners.json node.json siblings.json revisions.json autoscalers.json series.json incident.json args.txt describe.txt metrics.txt nvidia-smi.txt kernel.txt previous.log current.log vllm.previous.log init-0.current.log'.split(
      ' ',
    ),
    `${'a'.repeat(63)}.previous.log`,
  ])('may be %s', (name) => {
    expect(FileName.safeParse(name).success).toBe(true);
  });

  it.each([
    ...'POD.json ../pod.json a/pod.json /etc/passwd ..previous.log -a.previous.log a..previous.log'.split(' '),
    ...'a.b.previous.log A.previous.log previous.log.gz secrets.json'.split(' '),
    '',
    'previous.log\n',
    `${'a'.repeat(64)}.previous.log`,
  ])('may not be %j', (name) => {
    expect(FileName.safeParse(name).success).toBe(false);
    expect(Snapshot.safeParse({ id: 's', files: { [name]: '' } }).success).toBe(false);
  });

  it.each([
    ['previous.log', undefined, 'previous'],
    ['current.log', undefined, 'current'],
    ['vllm.previous.log', 'vllm', 'previous'],
    ['previous.current.log', 'previous', 'current'],
  ] as const)('%s is of container %s, instance %s, and back', (name, container, instance) => {
    expect(parseLogName(name)).toEqual({ container, instance });
    expect(logFileName(container, instance)).toBe(name);
  });
});

it('incident.json keeps to what it knows of a folder made by hand', () => {
  const file = { id: 'x', engine: null, gpu: { model: 'A100', extra: 1 }, note: 'by hand', kubernetes: true };

  const { note: _unknown, ...kept } = file;
  expect(IncidentFile.parse(file)).toEqual(kept);
  expect(IncidentFile.parse({ capture: exampleCapture }).capture).toEqual(exampleCapture);
  expect(IncidentFile.safeParse({ capture: { ...exampleCapture, takenAt: 'now' } }).success).toBe(false);
});

it.each(FACT_CATALOGUE)('the fact catalogue: $id is an entry', (entry) => {
  expect(FactEntry.parse(entry)).toEqual(entry);
  expect(entry.unit === 'choice').toBe(entry.values !== undefined);
  if (entry.values !== undefined) {
    expect(entry.values.length).toBeGreaterThan(1);
    expect(new Set(entry.values).size).toBe(entry.values.length);
  }
});

it('the taxonomy puts every cause on the plane that its name begins with, and in a bucket', () => {
  for (const cause of Cause.options) {
    const plane = cause === 'unknown' ? 'unknown' : cause.split('.')[0];
    expect(Plane.options).toContain(plane);
    expect(bucketOf(cause)).toMatch(/^(static|kv-cache|overhead|host|scheduling|other)$/);
  }
});

const OPEN = { branch: 'a/b', finding: 'c', missing: [] };

it.each([
  ['a message without a summary', Message, { ...exampleMessage, summary: '' }],
  ['a summary over 300 characters', Message, { ...exampleMessage, summary: 'x'.repeat(301) }],
  ['a list of nothing', Block, { kind: 'list', title: '', items: [] }],
  ['a link that is no address', Span, { kind: 'link', text: 'x', url: 'not an address' }],
  ['evidence without a citation', Verdict, { ...exampleVerdict, evidence: [{ says: 'x', fact: 'y', from: [] }] }],
  ['a known fact without a citation', Fact, { kind: 'known', value: 1, from: [] }],
  ['an unknown fact without a reason', Fact, { kind: 'unknown', detail: 'x' }],
  ['a line before the first', Citation, { ...exampleCitations[0], line: 0 }],
  ['a field that is no JSON pointer', Citation, { ...exampleCitations[1], path: 'status' }],
  ['a line of a file that is none', Citation, { ...exampleCitations[0], file: '../x' }],
  ['a signature with both text and pattern', Signature, { ...exampleSignature, pattern: 'x' }],
  ['a plan without steps', Plan, { ...examplePlan, steps: [] }],
  ['an incident never seen', Incident, { ...exampleIncident, seen: 0 }],
  ['a missing branch without a missing fact', Verdict, { ...exampleVerdict, notRuledOut: [OPEN] }],
] as const)('bounds of the contracts refuse %s', (_name, schema, value) => {
  expect((schema as z.ZodType).safeParse(value).success).toBe(false);
});
