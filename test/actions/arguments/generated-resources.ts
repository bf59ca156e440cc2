import fc from 'fast-check';
import { expect } from 'vitest';
import { ownerAdapter } from '../../../src/actions/owners/owner-adapter.ts';
import { changeArguments } from '../../../src/actions/plan/change-arguments.ts';
import type { PlanInput } from '../../../src/actions/plan/plan-input.ts';
import type { FileSpec } from './generated-files.ts';
import { checkFile } from './generated-files.ts';
import type { Spec } from './generated-specs.ts';
import type { Made } from './generated-words.ts';
import { type Attempt, applyOrFail } from './spec-form.ts';
import { checkWords } from './word-oracle.ts';

type Json = Readonly<Record<string, unknown>>;
type Kind =
  | 'InferenceService'
  | 'LeaderWorkerSet'
  | 'LeaderWorkerSet of like pods'
  | 'LeaderWorkerSet without a leader'
  | 'Rollout'
  | 'Rollout of a Deployment';

export type ResourceSpec = Spec & {
  readonly kind: Kind | 'model';
  /** The owner is the last of them. */
  readonly objects: readonly Json[];
  /** Pointers of the containers that hold the words, from the list of objects. */
  readonly places: readonly string[];
};

const object = (apiVersion: string, kind: string, spec: unknown, rest: Json = {}): Json => ({
  apiVersion,
  kind,
  metadata: { name: 'vllm', namespace: 'llm', uid: `uid-${kind}`, labels: { team: 'a' } },
  spec,
  ...rest,
});

const ENGINE = {
  image: 'registry.example/team/vllm:v0.11.0',
  env: [{ name: 'HF_HOME', value: '/cache' }],
  resources: { limits: { 'nvidia.com/gpu': '1', memory: '32Gi' } },
};
const engine = (container: unknown, name = 'vllm'): Json => ({ name, ...ENGINE, ...(container as Json) });
const template = (...containers: readonly Json[]): Json => ({
  metadata: { labels: { app: 'vllm' } },
  spec: { containers, volumes: [{ name: 'cache', emptyDir: {} }] },
});
const SIDECAR = { name: 'metrics', image: 'exporter:1', args: ['--max-model-len', '1', '--seed=1'] };
const RAY = { name: 'vllm-worker', image: ENGINE.image, command: ['sh', '-c', 'bash /ray.sh worker --seed=1'] };
const groups = (of: Json): Json =>
  object('leaderworkerset.x-k8s.io/v1', 'LeaderWorkerSet', { replicas: 2, leaderWorkerTemplate: { size: 2, ...of } });

type Wrapped = Pick<ResourceSpec, 'objects' | 'places'>;
const WRAPS: Readonly<Record<Kind, (container: unknown) => Wrapped>> = {
  InferenceService: (container) => ({
    objects: [
      object('serving.kserve.io/v1beta1', 'InferenceService', {
        predictor: { minReplicas: 1, containers: [SIDECAR, engine(container)] },
        transformer: { containers: [engine(container, 'transformer')] },
      }),
    ],
    places: ['/0/spec/predictor/containers/1'],
  }),
  LeaderWorkerSet: (container) => ({
    objects: [groups({ leaderTemplate: template(engine(container), SIDECAR), workerTemplate: template(RAY) })],
    places: ['/0/spec/leaderWorkerTemplate/leaderTemplate/spec/containers/0'],
  }),
  'LeaderWorkerSet of like pods': (container) => ({
    objects: [
      groups({ leaderTemplate: template(engine(container)), workerTemplate: template(SIDECAR, engine(container)) }),
    ],
    places: [
      '/0/spec/leaderWorkerTemplate/leaderTemplate/spec/containers/0',
      '/0/spec/leaderWorkerTemplate/workerTemplate/spec/containers/1',
    ],
  }),
  'LeaderWorkerSet without a leader': (container) => ({
    objects: [groups({ workerTemplate: template(SIDECAR, engine(container)) })],
    places: ['/0/spec/leaderWorkerTemplate/workerTemplate/spec/containers/1'],
  }),
  Rollout: (container) => ({
    objects: [
      object('argoproj.io/v1alpha1', 'Rollout', {
        replicas: 2,
        strategy: { canary: { steps: [{ setWeight: 20 }] } },
        template: template(SIDECAR, engine(container)),
      }),
    ],
    places: ['/0/spec/template/spec/containers/1'],
  }),
  'Rollout of a Deployment': (container) => ({
    objects: [
      object('apps/v1', 'Deployment', { replicas: 0, template: template(engine(container)) }),
      object('argoproj.io/v1alpha1', 'Rollout', {
        workloadRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'vllm' },
      }),
    ],
    places: ['/0/spec/template/spec/containers/0'],
  }),
};

/** Containers of the kinds that hold whole ones. */
export const wrappedSpecs = (kinds: readonly Kind[], specs: fc.Arbitrary<Spec>): fc.Arbitrary<ResourceSpec> =>
  fc
    .record({ kind: fc.constantFrom(...kinds), spec: specs })
    .map(({ kind, spec }): ResourceSpec => ({ ...spec, kind, ...WRAPS[kind](spec.container) }));

/** The model of an InferenceService, by its format: arguments behind those of a runtime, without a command. */
export const modelSpecs = (made: fc.Arbitrary<Made>): fc.Arbitrary<ResourceSpec> =>
  fc
    .record({
      made,
      format: fc.constantFrom('huggingface', 'vLLM', 'pytorch'),
      runtime: fc.constantFrom<Json>({}, { runtime: 'kserve-huggingfaceserver' }),
    })
    .map(
      ({
        made: { groups: words, engine: name, flag, to, steps, isLiteral, isComputed },
        format,
        runtime,
      }): ResourceSpec => {
        const container = { args: words.flat().map((word) => word.replaceAll(/⟦(\w+).*?⟧/g, '$($1)')) };
        const model = { modelFormat: { name: format }, ...runtime, storageUri: 'hf://m', ...ENGINE, ...container };
        return {
          ...{ engine: name, flag, to, steps, isLiteral, isComputed, container, from: 0, script: null, kind: 'model' },
          objects: [object('serving.kserve.io/v1beta1', 'InferenceService', { predictor: { minReplicas: 1, model } })],
          places: ['/0/spec/predictor/model'],
        };
      },
    );

type Asked = Pick<ResourceSpec, 'objects' | 'engine' | 'flag' | 'to'>;

/** The edit as a plan makes it: found by the kind of the owner, written to the objects that hold the words. */
export function changeResource({ objects, engine: name, flag, to }: Asked): Attempt {
  const beside = objects.slice(0, -1);
  const owner = ownerAdapter(objects.at(-1), { container: 'vllm', beside });
  if (owner.kind !== 'owner') throw new Error(owner.says);
  const input = { engine: { name, version: null }, beside, at: '2026-01-14T03:00:00Z', incident: 'inc_1' };
  const outcome = changeArguments(owner, [{ flag, from: null, to, why: '', facts: [] }], input as unknown as PlanInput);
  if (outcome.kind === 'refused') return { kind: 'refused', reason: outcome.why, says: outcome.says };
  const apply = (way: 'patch' | 'inverse') => (before: unknown) => {
    const writes = outcome.writes.filter(({ ref }) => ref.uid === uidOf(before));
    return writes.reduce((value, { change }) => applyOrFail(value, change[way]), before);
  };
  const after = objects.map(apply('patch'));
  return {
    kind: 'edited',
    after: [...after, ...outcome.creates.map((one) => one.manifest)],
    undone: after.map(apply('inverse')),
  };
}

const uidOf = (json: unknown): unknown => (json as { metadata: { uid: string } }).metadata.uid;

/** Pointers of everything that differs; a list that grew or shrank is one of them as a whole. */
export function differ(before: unknown, after: unknown, at = ''): string[] {
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  const isTree = (one: unknown): one is Json => typeof one === 'object' && one !== null;
  const lengths = [before, after].map((one) => (Array.isArray(one) ? one.length : -1));
  if (!isTree(before) || !isTree(after) || lengths[0] !== lengths[1]) return [at];
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return keys.flatMap((key) => differ(before[key], after[key], `${at}/${key}`));
}

const read = (json: unknown, pointer: string): Spec['container'] =>
  pointer
    .split('/')
    .slice(1)
    .reduce<unknown>((node, key) => (node as Json)[key], json) as Spec['container'];

/** Of all objects exactly the places that hold the words differ, and these in the intended words. */
export function checkResource(spec: ResourceSpec, after: unknown): void {
  const { objects, places } = spec;
  expect(differ(objects, after)).toEqual(places.flatMap((place) => pathsOf(spec).map((path) => place + path)));
  for (const place of places) checkWords(read(objects, place), read(after, place), spec);
}

// Which items of `command` and `args` have to differ; the list as a whole where its length does.
function pathsOf({ container, steps, from, script }: ResourceSpec): string[] {
  const { command = [], args = [] } = container;
  const pathOf = (i: number): string => (i < command.length ? `/command/${i}` : `/args/${i - command.length}`);
  if (script !== null) return [pathOf(script)];
  const paths = steps.map((step) => pathOf(step.kind === 'add' ? command.length + args.length - 1 : step.at + from));
  const isGrown = (list: string): boolean =>
    steps.some((step, i) => step.kind !== 'set' && paths[i]?.startsWith(list) === true);
  const lists = ['/command', '/args'];
  return lists.flatMap((list) => {
    const own = paths.filter((path) => path.startsWith(list));
    return isGrown(list) ? [list] : [...new Set(own)];
  });
}

export type WorkspaceSpec = FileSpec & Asked;

/** A Workspace of KAITO: its ConfigMap is never written, a new one with the new text takes its place. */
export const workspaceSpecs = (files: fc.Arbitrary<FileSpec>): fc.Arbitrary<WorkspaceSpec> =>
  files
    .map((file) => ({ ...file, engine: 'vllm', objects: workspaceOf(file.text) }))
    .filter(({ section }) => section !== null);

function workspaceOf(text: string): Json[] {
  const command = [
    'sh',
    '-c',
    'python3 /workspace/vllm/inference_api.py --kaito-config-file=/mnt/config/inference_config.yaml',
  ];
  const map = object('v1', 'ConfigMap', undefined, { data: { 'inference_config.yaml': text, 'other.yaml': 'a: 1\n' } });
  const workspace = object('kaito.sh/v1beta1', 'Workspace', undefined, { inference: { config: 'vllm' } });
  return [object('apps/v1', 'StatefulSet', { template: template(engine({ command })) }), map, workspace];
}

export function checkWorkspace(spec: WorkspaceSpec, after: unknown): void {
  const [set, map, workspace, made] = after as [
    Json,
    Json,
    Json,
    { metadata: { name: string }; data: Record<string, string> },
  ];
  expect(differ(spec.objects, [set, map, workspace])).toEqual(['/2/inference/config']);
  expect(workspace.inference).toEqual({ config: made.metadata.name });
  const { 'inference_config.yaml': text = '', ...rest } = made.data;
  expect(rest).toEqual({ 'other.yaml': 'a: 1\n' });
  checkFile(spec, text);
}

/** Why a plan has no change: the editor's own reason stands in its words. */
export const reasonsOfResource = (isSoAlready: boolean): readonly string[] =>
  isSoAlready ? ['nothing-to-do', 'argument-editor'] : ['argument-editor'];
