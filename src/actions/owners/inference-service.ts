import { valueAt } from '../../model/json-patch.ts';
import { ContainerSpec } from '../../model/kubernetes.ts';
import { setField } from '../change.ts';
import { note } from './hazard.ts';
import { patchCommand, quote } from './kubectl.ts';
import type { ArgsWay, ContainerPlace, Elsewhere, FirstWay, Owner, OwnerKind, OwnerSource, RollWay } from './owner.ts';
import { findContainer } from './pod-template.ts';
import { findKind, nameOf } from './read-object.ts';

const PREDICTOR = '/spec/predictor';
const MODEL = `${PREDICTOR}/model`;
// As much as stands on a card.
const WORDS = 300;
const STOP = 'serving.kserve.io/stop';

/** `serving.kserve.io InferenceService`: KServe creates and reverts its Deployment, so only the predictor is changed. */
export const INFERENCE_SERVICE: OwnerKind = {
  group: 'serving.kserve.io',
  kind: 'InferenceService',
  read: readInferenceService,
};

function readInferenceService(source: OwnerSource): Owner {
  const { head, ref, object } = source;
  const minimum = valueAt(object, `${PREDICTOR}/minReplicas`);
  const container = containerOf(source);
  return {
    kind: 'owner',
    head,
    object,
    scale: {
      kind: 'stop',
      ref,
      object,
      annotation: STOP,
      isStopped: head.annotations[STOP] === 'true',
      now: typeof minimum === 'number' && minimum > 0 ? minimum : 1,
      first: firstOf(source),
    },
    templates: [],
    containers: container === undefined ? [] : [container],
    args: argsOf(source, container),
    roll: rollOf(source),
    podsPerReplica: 1,
    hazards: [
      ...sayRuntime(source, container),
      note(
        'stop-deletes',
        `Stopping ${nameOf(ref)} deletes its Deployment and Services, and the pod logs with them.`,
        'the incident evidence is stored first',
      ),
    ],
  };
}

// The words of older and newer releases.
const PLAIN = ['RawDeployment', 'Standard'];

// In plain deployments the range is that of an autoscaler, or the count itself; for Knative it is part of a revision.
function firstOf(source: OwnerSource): FirstWay {
  const { head, object } = source;
  const together = (why: string): FirstWay => ({ kind: 'together', why: `All replicas start together: ${why}.` });
  const mode = modeOf(source);
  if (mode === undefined) return together('it has no deployment mode, so Knative may run them');
  if (!PLAIN.includes(String(mode))) {
    return together('a lower minimum for the first one would create an extra revision, on extra GPUs');
  }
  if (head.annotations['serving.kserve.io/autoscalerClass'] === 'external')
    return together('an external autoscaler sets the replica count');
  if (valueAt(object, `${PREDICTOR}/workerSpec`) !== undefined)
    return together('they are one engine across several nodes');
  const paths = ['minReplicas', 'maxReplicas'].map((key) => `${PREDICTOR}/${key}`);
  return { kind: 'by-range', paths: paths.filter((path) => Number(valueAt(object, path) ?? 0) > 1) };
}

function modeOf({ head, object }: OwnerSource): unknown {
  return head.annotations['serving.kserve.io/deploymentMode'] ?? valueAt(object, '/status/deploymentMode');
}

const STRATEGY = `${PREDICTOR}/deploymentStrategy`;

// Its object does not show rollout progress: a run could not see when to restore the settings.
function rollOf(source: OwnerSource): RollWay {
  const mode = modeOf(source);
  if (PLAIN.includes(String(mode))) {
    const why = 'KServe rolls out changes itself, and the InferenceService does not show the progress';
    const rollingUpdate = { maxSurge: 0, maxUnavailable: 1 };
    const extra = setField(source.object, STRATEGY, { type: 'RollingUpdate', rollingUpdate });
    const says =
      'Replaces broken replicas first, then one at a time, each on the GPU of the one it replaces. The same patch sets the rollout settings of the predictor: keep them until all replicas are new.';
    return { kind: 'none', why, byHand: { says, extra } };
  }
  const why = 'KServe sets the Deployment and its rollout settings itself';
  const says =
    mode === undefined
      ? 'The rollout depends on the deployment mode, which is not set: Knative starts a full second set of replicas, on extra GPUs.'
      : 'Knative starts a new revision next to the current one and switches once it is ready: it needs as many free GPUs again.';
  return { kind: 'none', why, byHand: { says, extra: null } };
}

function containerOf({ ref, object, container }: OwnerSource): ContainerPlace | undefined {
  // Several pods behind one predictor: the object does not say which of them takes what.
  if (valueAt(object, `${PREDICTOR}/workerSpec`) !== undefined) return undefined;
  const value = valueAt(object, MODEL);
  if (value !== undefined) return { ref, object, path: MODEL, value, name: 'kserve-container', role: 'engine' };
  return findContainer({ ref, object }, PREDICTOR, container);
}

function argsOf(source: OwnerSource, container: ContainerPlace | undefined): ArgsWay {
  if (container === undefined) {
    const says = 'The predictor is neither one model nor one container, so the place of the arguments is unknown.';
    return { kind: 'none', says, paste: null };
  }
  const isModel = container.path === MODEL;
  const entrypoint = isModel && takesArguments(source, container.value) ? 'engine' : 'unknown';
  const elsewhere = isModel && isLeftToRuntime(source, container.value) ? ofRuntime(source) : undefined;
  return {
    kind: 'container',
    entrypoint,
    mayAddArgs: isModel && entrypoint === 'engine',
    ...(elsewhere && { elsewhere }),
  };
}

// The value that this one overrides is not in the object that is changed.
function sayRuntime(source: OwnerSource, container: ContainerPlace | undefined): Owner['hazards'] {
  const runtime = container?.path === MODEL ? runtimeOf(source) : undefined;
  const args = runtime === undefined ? undefined : valueAt(runtime.object, '/spec/containers/0/args');
  if (runtime === undefined || !Array.isArray(args) || args.length === 0) return [];
  const shown = args.map(String).join(' ');
  const words = shown.length <= WORDS ? shown : `${shown.slice(0, WORDS)}…`;
  const shares =
    runtime.ref.kind === 'ClusterServingRuntime' ? ', which other workloads share and oombot does not change' : '';
  const says = `${nameOf(runtime.ref)}${shares}, sets: ${words}. Arguments set here are appended.`;
  return [note('runtime-arguments', says)];
}

function runtimeOf({ object, surroundings }: OwnerSource) {
  const name = valueAt(object, `${MODEL}/runtime`);
  const runtimes = [...findKind(surroundings, 'ServingRuntime'), ...findKind(surroundings, 'ClusterServingRuntime')];
  return runtimes.find(({ ref }) => ref.name === name);
}

// Nothing is said here, and what the runtime says was not read: one for the whole cluster serves other teams too.
function isLeftToRuntime(source: OwnerSource, model: unknown): boolean {
  const { args = [], command = [] } = ContainerSpec.safeParse(model).data ?? {};
  const name = valueAt(source.object, `${MODEL}/runtime`);
  const isRead = runtimeOf(source) !== undefined;
  return args.length === 0 && command.length === 0 && typeof name === 'string' && name !== '' && !isRead;
}

function ofRuntime({ ref, object }: OwnerSource): Elsewhere {
  const runtime = String(valueAt(object, `${MODEL}/runtime`));
  const look = `kubectl get clusterservingruntime ${quote(runtime)} -o jsonpath='{.spec.containers[*].command} {.spec.containers[*].args}'`;
  const says = `The arguments of ${nameOf(ref)} are in the runtime ${runtime}, which was not read (needs the right to get clusterservingruntimes) and may be shared with other workloads. Arguments set on ${nameOf(ref)} are appended and win, unless a shell starts the engine: check first, then set them.`;
  const pasteWith = (words: readonly string[]): string => {
    const there = setField(object, `${MODEL}/args`, [...words]);
    return [
      '# Only if the command of the runtime does not start a shell:',
      look,
      patchCommand(ref, there.patch),
      ...['# Rollback:', `# ${patchCommand(ref, there.inverse)}`],
    ].join('\n');
  };
  return { says, pasteWith };
}

// KServe puts the predictor's arguments behind the runtime's own: they reach the engine where no shell stands between.
function takesArguments(source: OwnerSource, model: unknown): boolean {
  const own = ContainerSpec.safeParse(model).data?.args ?? [];
  if (own.some((word) => word.startsWith('--'))) return true;
  const runtime = runtimeOf(source);
  const command = runtime === undefined ? undefined : valueAt(runtime.object, '/spec/containers/0/command');
  return Array.isArray(command) && command.length > 0 && !command.some(isShell);
}

function isShell(word: unknown): boolean {
  return typeof word === 'string' && /(?:^|\/)(?:ba|da|z|a)?sh$/.test(word);
}
