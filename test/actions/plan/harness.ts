import { type PlanDraft, type PlanInput, planAction } from '../../../src/actions/plan/plan-action.ts';
import type { Refused } from '../../../src/actions/plan/plan-input.ts';
import { applyPatch, isSameJson, valueAt } from '../../../src/model/json-patch.ts';
import type { PlanStep, WriteStep } from '../../../src/model/plan.ts';
import type { Edit } from '../../../src/model/verdict.ts';
import { aDeployment } from '../objects.ts';

export const LOWER: Edit = { flag: '--max-model-len', from: '32768', to: '8192', why: 'fits', facts: [] };

/** A whole input that says only what the test is about. */
export function anInput(over: Partial<PlanInput> = {}): PlanInput {
  return {
    action: 'stop-bleed',
    target: {
      cluster: 'prod',
      object: { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'llm', name: 'vllm', uid: 'uid-vllm' },
      container: 'vllm',
    },
    object: aDeployment({ ready: 0 }),
    surroundings: [],
    notRead: [],
    pods: undefined,
    engine: { name: 'vllm', version: '0.11.0' },
    edits: [LOWER],
    profile: null,
    bounds: [],
    notRuledOut: [],
    certain: true,
    causeCertain: true,
    recordedReplicas: null,
    done: [],
    toZero: false,
    at: '2026-01-15T03:00:00.000Z',
    incident: 'inc_00000000000000000001',
    limits: {
      maxMemoryBytes: 64 * 2 ** 30,
      maxReplicas: 10,
      readyMs: 600_000,
      goneMs: 300_000,
      drainMs: 60_000,
      verifyMs: 600_000,
    },
    known: { startupMs: 240_000, gpus: null, requests: null },
    approvals: 1,
    ...over,
  };
}

export function planOf(over: Partial<PlanInput> = {}): PlanDraft {
  const outcome = planAction(anInput(over));
  if (outcome.kind !== 'plan') throw new Error(`${outcome.why}: ${outcome.says}`);
  return outcome.draft;
}

export function refusalOf(over: Partial<PlanInput> = {}): Refused {
  const outcome = planAction(anInput(over));
  if (outcome.kind !== 'refused') throw new Error(`planned: ${outlineOf(outcome.draft.steps).join('; ')}`);
  return outcome;
}

/** The steps in short: what is written and with which count, what is waited for. */
export function outlineOf(steps: readonly PlanStep[]): string[] {
  return steps.map((step) => {
    if (step.kind === 'write') return `${step.object.kind}: ${writtenBy(step)}`;
    if (step.kind === 'create') return `create ${step.object.kind}`;
    if (step.kind === 'verify') return `verify ${step.replicas}`;
    return step.until === 'ready' ? `ready ${step.replicas}` : step.until;
  });
}

const SHORT: readonly (readonly [RegExp, string])[] = [
  [/^\/spec\/replicas$/, 'replicas'],
  [/paused-replicas$/, 'paused'],
  [/^\/metadata\/annotations$/, 'annotations'],
  [/serving\.kserve\.io~1stop$/, 'stop'],
  [/minReplicas$/, 'minReplicas'],
  [/maxReplicas$/, 'maxReplicas'],
  [/^\/inference\/config$/, 'config'],
  [/restartedAt$|\/template\/metadata\/annotations$/, 'restart'],
  [/\/(?:args|command)$/, 'args'],
  [/\/env(?:\/|$)/, 'env'],
  [/resources\/limits\/memory$/, 'limit'],
  [/resources\/requests\/memory$/, 'request'],
  [/[sS]trategy/, 'strategy'],
];

function writtenBy({ patch }: WriteStep): string {
  const parts = patch.flatMap((one) => {
    if (one.op === 'test') return [];
    // A map of annotations that is made holds one of them.
    const [key, value] =
      one.op === 'add' && /^\/metadata\/annotations$/.test(one.path)
        ? (Object.entries(one.value as object)[0] ?? [])
        : [];
    const path = key === undefined ? one.path : `${one.path}/${key.replaceAll('/', '~1')}`;
    const name = SHORT.find(([pattern]) => pattern.test(path))?.[1] ?? path;
    if (!SHOWN.includes(name)) return [name];
    return [one.op === 'remove' ? `${name} gone` : `${name}=${String(value ?? one.value)}`];
  });
  return [...new Set(parts)].join(' ');
}

const SHOWN = ['replicas', 'paused', 'limit', 'request', 'stop', 'minReplicas', 'maxReplicas'];

/** The objects after all writes, and after all of them were taken back in reverse order; undefined where a patch fails. */
export function runThere(
  { steps }: PlanDraft,
  objects: readonly unknown[],
): { there: unknown[]; back: unknown[] } | undefined {
  const writes = steps.filter((step): step is WriteStep => step.kind === 'write');
  const there = follow(
    objects,
    writes.map(({ object, patch }) => ({ uid: object.uid, patch })),
  );
  const back =
    there &&
    follow(
      there,
      writes.toReversed().map(({ object, inverse }) => ({ uid: object.uid, patch: inverse })),
    );
  return there === undefined || back === undefined ? undefined : { there, back };
}

function follow(
  objects: readonly unknown[],
  patches: readonly { uid: string; patch: WriteStep['patch'] }[],
): unknown[] | undefined {
  let now: unknown[] | undefined = [...objects];
  for (const { uid, patch } of patches) {
    now = now?.map((object) => (valueAt(object, '/metadata/uid') === uid ? applyTo(object, patch) : object));
    if (now?.includes(FAILED)) now = undefined;
  }
  return now;
}

const FAILED = Symbol('failed');

function applyTo(object: unknown, patch: WriteStep['patch']): unknown {
  const outcome = applyPatch(object, patch);
  return outcome.kind === 'applied' ? outcome.value : FAILED;
}

/** Equal but for an empty map of annotations, which the API server does not keep. */
export function isSameObject(a: unknown, b: unknown): boolean {
  return isSameJson(withoutEmpty(a), withoutEmpty(b));
}

function withoutEmpty(object: unknown): unknown {
  const { metadata, ...rest } = JSON.parse(JSON.stringify(object)) as { metadata: { annotations?: object } };
  const { annotations, ...meta } = metadata;
  const isEmpty = annotations === undefined || Object.keys(annotations).length === 0;
  return { ...rest, metadata: isEmpty ? meta : { ...meta, annotations } };
}
