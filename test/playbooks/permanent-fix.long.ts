import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { type FixPatch, permanentFix } from '../../src/actions/permanent/permanent-fix.ts';
import { fixOf } from '../../src/app/lifecycle/permanent-fix.ts';
import { diagnoseSource, judgeEngine } from '../../src/app/triage/diagnose.ts';
import { readFolder } from '../../src/folder/read-folder.ts';
import type { Fact, Facts } from '../../src/model/fact.ts';
import type { Diagnosis } from '../../src/model/verdict.ts';
import { fixMessages, recommendations } from '../../src/report/permanent-fix.ts';
import { drawMessage } from '../../src/slack/draw/message.ts';
import { validateMessage } from '../../src/slack/limits/message-limits.ts';
import { changedLeaves, mergeStrategically } from '../actions/strategic-merge.ts';
import { ENGINES } from './remedy-engines.ts';
import { BOOK, CASES, COMPILED, COMPILED_SIGNATURES, INCIDENTS, judge, PLAYBOOKS, readIncident } from './shipped.ts';

const FINDINGS = COMPILED.kind === 'bad' ? [] : COMPILED.playbook.findings;
const ON_MEMORY = FINDINGS.filter(({ plane }) => plane === 'gpu' || plane === 'host' || plane === 'both');

type Seen = { readonly name: string; readonly facts: Facts; readonly diagnosis: Diagnosis };

const known = (value: string | number | boolean): Fact => ({
  kind: 'known',
  value,
  from: [{ kind: 'field', file: 'incident.json', path: '/given', text: JSON.stringify(value) }],
});

const MOST_CASES = 4;

/** Some shipped cases of a finding, as they are diagnosed. */
async function seenInCases(finding: string): Promise<readonly Seen[]> {
  const seen: Seen[] = [];
  const own = CASES.flatMap(({ cases }) => cases).filter(({ expect: wanted }) => wanted.finding === finding);
  for (const one of own.slice(0, MOST_CASES)) {
    const of = one.incident === undefined ? new Map<string, Fact>() : await readIncident(one.incident, one.change);
    const given = [...one.facts].map(([id, fact]): [string, Fact] => [
      id,
      fact.kind === 'unknown' ? { ...fact, detail: 'removed' } : known(fact.value as string),
    ]);
    const facts = new Map([...of, ...given]);
    seen.push({ name: one.name, facts, diagnosis: judge(facts, one.name) });
  }
  return seen;
}

const AMPLIFIED = ['amplifier.tight-probe', 'amplifier.node-mixing', 'amplifier.cpu-autoscaling'];

/** A Deployment that runs the engine of the facts, with its knobs set, a tight probe and other containers. */
function aDeployment(engine: string) {
  const args =
    ENGINES.find(({ name }) => name === engine || (name === 'text-generation-inference' && engine === 'tgi'))?.args ??
    '';
  const memory = {
    limits: { memory: '1Gi', 'nvidia.com/gpu': '1' },
    requests: { memory: '1Gi', 'nvidia.com/gpu': '1' },
  };
  const container = {
    ...{ name: 'engine', image: 'registry/engine:1', command: args.split(' ').filter(Boolean), resources: memory },
    env: [{ name: 'HF_HOME', value: '/models' }],
    livenessProbe: { httpGet: { path: '/health', port: 8000 }, periodSeconds: 5, failureThreshold: 3 },
  };
  return {
    ...{ apiVersion: 'apps/v1', kind: 'Deployment' },
    metadata: { name: 'chat', namespace: 'llm', uid: 'uid-of-chat' },
    spec: {
      replicas: 2,
      template: {
        spec: {
          containers: [{ name: 'proxy', image: 'proxy:1' }, container],
          tolerations: [{ key: 'spot', operator: 'Exists' }],
        },
      },
    },
  };
}

const HPA = {
  apiVersion: 'autoscaling/v2',
  kind: 'HorizontalPodAutoscaler',
  metadata: { name: 'chat', namespace: 'llm', uid: 'u' },
};

/** The leaves that a patch changes, each under the setting that the patch says it changes. */
function expectOnlyWhatItSays(patch: FixPatch, object: unknown): void {
  const doc: unknown = parse(patch.yaml);
  const after = mergeStrategically(object, doc);
  const leaves = changedLeaves(object, after);
  const labels = patch.values.map(({ label }) => label);
  // The other container of the Deployment.
  expect(leaves.filter((leaf) => leaf.includes('/template/spec/containers/0'))).toEqual([]);
  expect(leaves.length).toBeGreaterThan(0);
  for (const leaf of leaves)
    expect([labels, leaf, labels.some((label) => isOf(leaf, label, object, after))]).toEqual([labels, leaf, true]);
  for (const label of labels)
    expect([label, leaves.some((leaf) => isOf(leaf, label, object, after))]).toEqual([label, true]);
}

function isOf(leaf: string, label: string, before: unknown, after: unknown): boolean {
  if (label === 'resources.limits.memory') return /\/resources\/(?:limits|requests)\/memory$/.test(leaf);
  if (label.startsWith('startupProbe')) return leaf.includes('/startupProbe');
  if (label === 'tolerations') return leaf.includes('/tolerations');
  if (/^[A-Z_]+$/.test(label)) return leaf.includes('/env');
  const words = (object: unknown): string =>
    JSON.stringify(
      leaf
        .split('/')
        .slice(1)
        .reduce((node, key) => (node as Record<string, unknown>)?.[key], object),
    );
  const own = new RegExp(`${label}["= ,]+[^"= ,]+`);
  return /\/(?:command|args)(?:\/\d+)?$/.test(leaf) && words(before) !== words(after) && own.test(words(after));
}

describe('the permanent fix', () => {
  it('of every finding on a memory plane is recommended, and its patches change the workload only as they say', async () => {
    const patched = new Set<string>();

    for (const { id } of ON_MEMORY) {
      const own = (await seenInCases(id)).filter(({ diagnosis }) => diagnosis.verdict.finding === id);
      expect([id, own.length > 0]).toEqual([id, true]);
      for (const { facts, diagnosis, name } of own) {
        expect([id, name, recommendations(diagnosis).length > 0]).toEqual([id, name, true]);
        const engine = facts.get('engine.name');
        const object = aDeployment(engine?.kind === 'known' ? String(engine.value) : '');
        const input = {
          verdict: diagnosis.verdict,
          facts,
          factors: AMPLIFIED,
          start: { seconds: 300, isWhole: true },
          owners: [object],
        };
        const { patches } = permanentFix({
          ...input,
          pod: undefined,
          container: 'engine',
          hpas: [HPA],
          scaledObjects: [],
          series: undefined,
        });
        for (const patch of patches) {
          expect(parseAllDocuments(patch.yaml).flatMap((doc) => doc.errors)).toEqual([]);
          if (patch.of === 'workload') expectOnlyWhatItSays(patch, object);
          for (const { label } of patch.values) patched.add(label.replace(/ .*/, ''));
        }
      }
    }

    for (const label of [
      'resources.limits.memory',
      'startupProbe.failureThreshold',
      'tolerations',
      '--max-model-len',
      '--gpu-memory-utilization',
      'PYTORCH_CUDA_ALLOC_CONF',
    ]) {
      expect([label, patched.has(label)]).toEqual([label, true]);
    }
  });

  it('of the shipped incidents is valid for Slack, and applies to their own pod', async () => {
    const deps = { signatures: COMPILED_SIGNATURES, judge, book: BOOK };
    const patched: string[] = [];

    for (const name of INCIDENTS) {
      const source = await readFolder(join(PLAYBOOKS, 'oom/incidents', name));
      const { diagnosis } = await diagnoseSource(source, deps);
      const explained = await fixOf(diagnosis, source, (of) => judgeEngine(of, deps));
      for (const message of fixMessages({ subject: `llm/Deployment/${name}`, typed: 'inc_1', ...explained })) {
        expect([name, validateMessage(drawMessage(message))]).toEqual([name, []]);
      }
      for (const patch of explained.fix?.patches ?? []) {
        if (patch.of !== 'pod') continue;
        expectOnlyWhatItSays(patch, JSON.parse(await source.read('pod.json')));
        patched.push(name);
      }
    }

    expect(patched).toEqual(expect.arrayContaining(['oomkilled-at-load', 'vllm-limit-copied']));
  });
});
