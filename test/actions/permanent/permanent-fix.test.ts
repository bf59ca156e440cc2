import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { type FixInput, permanentFix } from '../../../src/actions/permanent/permanent-fix.ts';
import type { Fact, FactValue } from '../../../src/model/fact.ts';
import type { Edit, Remedy } from '../../../src/model/verdict.ts';
import { mergeStrategically } from '../strategic-merge.ts';

const known = (value: FactValue): Fact => ({
  kind: 'known',
  value,
  from: [{ kind: 'field', file: 'incident.json', path: '/given', text: String(value) }],
});

const PROBE = { httpGet: { path: '/health', port: 8000 }, periodSeconds: 5, failureThreshold: 3 };

type Container = Readonly<Record<string, unknown>>;

function aDeployment(container: Container = {}, spec: Readonly<Record<string, unknown>> = {}) {
  const engine = { name: 'vllm', image: 'vllm/vllm-openai:v0.11.0', args: ['--model', 'm'], ...container };
  return {
    ...{ apiVersion: 'apps/v1', kind: 'Deployment' },
    metadata: { name: 'chat', namespace: 'llm', uid: 'uid-of-chat' },
    spec: { replicas: 2, template: { spec: { containers: [engine], ...spec } } },
  };
}

type Given = Partial<Omit<FixInput, 'facts' | 'verdict'>> & {
  readonly facts?: Readonly<Record<string, FactValue>>;
  readonly verdict?: Partial<FixInput['verdict']>;
};

function fix({ facts = {}, verdict = {}, ...over }: Given) {
  return permanentFix({
    verdict: { plane: 'gpu', phase: 'burst', cause: 'unknown', causeCertain: false, remedies: [], ...verdict },
    facts: new Map(
      Object.entries({ 'engine.name': 'vllm', 'engine.version': '0.11.0', ...facts }).map(([id, value]) => [
        id,
        known(value),
      ]),
    ),
    ...{ start: undefined, owners: [aDeployment()], pod: undefined, container: 'vllm' },
    ...{ factors: [], hpas: [], scaledObjects: [], series: undefined },
    ...over,
  });
}

const remedy = (over: Partial<Remedy>): Remedy => ({
  ...{ action: 'set-args', says: 'x', edits: [], direction: 'lower', kind: 'lasting' },
  ...over,
});
const edit = (flag: string, to: string): Edit => ({ flag, from: null, to, why: '', facts: [] });

/** What a patch makes of an object, as the API server applies it. */
const applied = (object: unknown, yaml: string | undefined) =>
  mergeStrategically(object, parse(yaml ?? '')) as ReturnType<typeof aDeployment>;

describe('a startup probe', () => {
  it.each([
    [
      'twice a whole start',
      { livenessProbe: PROBE },
      { seconds: 95, isWhole: true },
      { httpGet: PROBE.httpGet, periodSeconds: 10, failureThreshold: 19 },
    ],
    [
      'three times a start that was cut off',
      { livenessProbe: PROBE },
      { seconds: 95, isWhole: false },
      { httpGet: PROBE.httpGet, periodSeconds: 10, failureThreshold: 29 },
    ],
    [
      'in the period of the one that is there',
      { startupProbe: PROBE },
      { seconds: 95, isWhole: true },
      { ...PROBE, failureThreshold: 38 },
    ],
  ])('lasts %s', (_, container, start, expected) => {
    const object = aDeployment(container);

    const { patches } = fix({ factors: ['amplifier.tight-probe'], start, owners: [object] });

    expect(applied(object, patches[0]?.yaml).spec.template.spec.containers[0]).toEqual({
      ...object.spec.template.spec.containers[0],
      startupProbe: expected,
    });
  });

  it('is added where a probe killed the start, and not where it killed a server', () => {
    const given = {
      verdict: { plane: 'none', cause: 'none.probe-kill' },
      start: { seconds: 95, isWhole: true },
    } as const;
    const owners = [aDeployment({ livenessProbe: PROBE })];

    expect(fix({ ...given, owners }).patches).toHaveLength(1);
    expect(fix({ ...given, owners, facts: { 'failure.life': 'serving' } }).patches).toEqual([]);
  });

  it.each([
    ['lasts already', { startupProbe: { ...PROBE, failureThreshold: 60 } }, { seconds: 95, isWhole: true }],
    ['has no probe to copy', {}, { seconds: 95, isWhole: true }],
    ['has no measured start', { livenessProbe: PROBE }, undefined],
  ])('is left alone where it %s', (_, container, start) => {
    expect(fix({ factors: ['amplifier.tight-probe'], start, owners: [aDeployment(container)] }).patches).toEqual([]);
  });
});

describe('arguments and memory', () => {
  it('keep all other arguments, variables and tolerations', () => {
    const object = aDeployment(
      { env: [{ name: 'HF_HOME', value: '/m' }] },
      { tolerations: [{ key: 'spot', operator: 'Exists' }] },
    );
    const remedies = [
      remedy({ edits: [edit('--max-model-len', '8192')] }),
      remedy({ action: 'set-allocator', edits: [edit('PYTORCH_CUDA_ALLOC_CONF', 'expandable_segments:True')] }),
    ];

    const { patches } = fix({ verdict: { remedies }, factors: ['amplifier.node-mixing'], owners: [object] });

    const { containers, tolerations } = applied(object, patches[0]?.yaml).spec.template.spec as ReturnType<
      typeof aDeployment
    >['spec']['template']['spec'] & { tolerations?: unknown };
    expect(containers[0]).toMatchObject({
      args: ['--model', 'm', '--max-model-len=8192'],
      env: [
        { name: 'HF_HOME', value: '/m' },
        { name: 'PYTORCH_CUDA_ALLOC_CONF', value: 'expandable_segments:True' },
      ],
    });
    expect(tolerations).toEqual([
      { key: 'spot', operator: 'Exists' },
      { key: 'nvidia.com/gpu', operator: 'Exists', effect: 'NoSchedule' },
    ]);
    expect(patches[0]?.values.map(({ label }) => label)).toEqual([
      '--max-model-len',
      'PYTORCH_CUDA_ALLOC_CONF',
      'tolerations',
    ]);
  });

  it.each([
    ['the measured peak with headroom', 'host', 50 * 2 ** 30 + 1, '51Gi'],
    ['what the remedy computed, where that is more', 'host', 2 ** 30, '48Gi'],
    ['nothing for a GPU failure', 'gpu', 50 * 2 ** 30, undefined],
  ] as const)('set the memory limit to %s', (_, plane, measured, expected) => {
    const object = aDeployment({ resources: { limits: { memory: '32Gi' }, requests: { memory: '16Gi' } } });
    const remedies = [
      remedy({
        action: 'raise-ram',
        kind: 'stop-bleed',
        direction: 'raise',
        edits: [edit('resources.limits.memory', '48Gi')],
      }),
    ];

    const { patches } = fix({
      verdict: { plane, remedies },
      facts: { 'lasting.ram-limit': measured },
      owners: [object],
    });

    const [container] = patches.length === 0 ? [] : applied(object, patches[0]?.yaml).spec.template.spec.containers;
    const resources = container && (container as Container).resources;
    expect(resources).toEqual(expected && { limits: { memory: expected }, requests: { memory: '16Gi' } });
  });

  it('are said in words where the manifest shows too little', () => {
    const verdict = { remedies: [remedy({ edits: [edit('--max-model-len', '8192')] })] };
    const operator = {
      apiVersion: 'apps.nvidia.com/v1',
      kind: 'NIMService',
      metadata: { name: 'n', namespace: 'llm', uid: 'u' },
    };
    const secret = aDeployment({ args: ['--model', 'm', '--api-key', '[redacted:secret-value]'] });
    const hidden = aDeployment({ args: undefined });

    for (const owners of [[operator], [secret], [hidden], []]) {
      const { patches, byHand } = fix({ verdict, owners });
      expect([patches, byHand.join(' ')]).toEqual([[], expect.stringContaining('Set by hand: --max-model-len 8192.')]);
    }
  });
});

describe('an autoscaler on CPU', () => {
  const factors = ['amplifier.cpu-autoscaling'];
  const hpa = {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name: 'chat', namespace: 'llm', uid: 'u' },
  };

  it.each([
    ['vllm', '0.11.0', 'vllm_num_requests_waiting'],
    ['sglang', '0.5.5', 'sglang_num_queue_reqs'],
    ['tgi', '3.3.4', 'tgi_queue_size'],
    ['tensorrt-llm', '1.1', 'nv_trt_llm_request_metrics'],
  ])('scales on the waiting requests of %s', (name, version, metric) => {
    const { patches } = fix({ factors, facts: { 'engine.name': name, 'engine.version': version }, hpas: [hpa] });

    expect(parse(patches[0]?.yaml ?? '')).toMatchObject({
      ...{ kind: 'HorizontalPodAutoscaler', metadata: { name: 'chat', namespace: 'llm' } },
      spec: { metrics: [{ type: 'Pods', pods: { metric: { name: metric }, target: { type: 'AverageValue' } } }] },
    });
  });

  it('of KEDA is patched in its ScaledObject, which owns the HPA', () => {
    const owned = {
      ...hpa,
      metadata: { ...hpa.metadata, name: 'keda-hpa-chat', labels: { 'scaledobject.keda.sh/name': 'chat-scaler' } },
    };

    const { patches } = fix({ factors, hpas: [owned] });

    const [trigger] = (parse(patches[0]?.yaml ?? '') as { spec: { triggers: { metadata: { query: string } }[] } }).spec
      .triggers;
    expect(patches[0]?.object).toBe('ScaledObject/chat-scaler');
    expect(trigger?.metadata.query).toBe('sum(vllm:num_requests_waiting{namespace="llm"})');
    expect(patches[0]?.needs.join()).toMatch(/PROMETHEUS_URL.*vllm:kv_cache_usage_perc above 0\.8/);
  });

  it('gets no patch where the engine exports no queue, or the autoscaler is not in the evidence', () => {
    expect(fix({ factors, facts: { 'engine.name': 'ollama' }, hpas: [hpa] }).patches).toEqual([]);
    expect(fix({ factors }).patches).toEqual([]);
  });
});

describe('planned restarts', () => {
  const LEAK = { plane: 'host', cause: 'host.chronic.leak', causeCertain: true } as const;
  const HOUR = 3_600_000;
  const traffic = (hours: number, quiet: number) => ({
    ...{ from: 0, to: hours * HOUR, stepMs: HOUR, unknown: [] },
    series: [
      {
        ...{ id: 'requests.running', unit: 'count', labels: {}, query: 'q' },
        points: Array.from({ length: hours }, (_, i): [number, number] => [i * HOUR, i % 24 === quiet ? 1 : 9]),
      },
    ],
  });

  it.each([
    ['a day fits in: in the hour with the least traffic', 30, traffic(48, 3), '0 3 * * *', 1],
    ['a day fits in, traffic unknown: at a placeholder that says so', 30, undefined, '0 4 * * *', 2],
    ['a day fits in, traffic of half a day: the same', 30, traffic(12, 3), '0 4 * * *', 2],
    ['a day is too long: several times a day', 7, undefined, '0 */6 * * *', 1],
  ])('where %s', (_, hours, series, schedule, needs) => {
    const { patches } = fix({ verdict: LEAK, facts: { 'lasting.restart-every': hours * 3600 }, series });

    const docs = parseAllDocuments(patches[0]?.yaml ?? '').map((doc) => doc.toJS() as Record<string, never>);
    expect(docs.map(({ kind }) => kind)).toEqual(['ServiceAccount', 'Role', 'RoleBinding', 'CronJob']);
    expect(docs[1]).toMatchObject({
      rules: [{ apiGroups: ['apps'], resources: ['deployments'], resourceNames: ['chat'], verbs: ['get', 'patch'] }],
    });
    expect(docs[3]).toMatchObject({ spec: { schedule, timeZone: 'Etc/UTC', concurrencyPolicy: 'Forbid' } });
    expect(JSON.stringify(docs[3])).toContain('["kubectl","rollout","restart","deployment/chat"]');
    expect(patches[0]?.needs).toHaveLength(needs);
  });

  it('are for a proven leak of a workload alone', () => {
    const facts = { 'lasting.restart-every': 100_000 };
    const pod = { metadata: { name: 'chat-0' }, spec: { containers: [{ name: 'vllm' }] } };

    expect(fix({ verdict: { ...LEAK, causeCertain: false }, facts }).patches).toEqual([]);
    expect(fix({ verdict: { ...LEAK, cause: 'host.burst.payload' }, facts }).patches).toEqual([]);
    expect(fix({ verdict: LEAK, facts, owners: [], pod }).patches).toEqual([]);
  });
});
