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

/** `serving.kserve.io InferenceService`: its Deployment is made and put back by KServe, so only the predictor is written. */
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
        `Stopping ${nameOf(ref)} deletes its Deployment and Services, and the logs of the pods with them.`,
        'the evidence of the incident is stored first',
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
  if (mode === undefined) return together('whether Knative runs them cannot be told (no deployment mode stands on it)');
  if (!PLAIN.includes(String(mode))) {
    return together(
      'a lower minimum for the first one would be a revision of its own, on GPUs beside those of the next',
    );
  }
  if (head.annotations['serving.kserve.io/autoscalerClass'] === 'external')
    return together('an external autoscaler sets their number');
  if (valueAt(object, `${PREDICTOR}/workerSpec`) !== undefined)
    return together('they are one engine over several nodes');
  const paths = ['minReplicas', 'maxReplicas'].map((key) => `${PREDICTOR}/${key}`);
  return { kind: 'by-range', paths: paths.filter((path) => Number(valueAt(object, path) ?? 0) > 1) };
}

function modeOf({ head, object }: OwnerSource): unknown {
  return head.annotations['serving.kserve.io/deploymentMode'] ?? valueAt(object, '/status/deploymentMode');
}

const STRATEGY = `${PREDICTOR}/deploymentStrategy`;

// Its object does not tell how far a roll-out is: a run could not see when to put the settings back.
function rollOf(source: OwnerSource): RollWay {
  const mode = modeOf(source);
  if (PLAIN.includes(String(mode))) {
    const why = 'KServe rolls a change out itself, and the InferenceService does not tell how far that is';
    const rollingUpdate = { maxSurge: 0, maxUnavailable: 1 };
    const extra = setField(source.object, STRATEGY, { type: 'RollingUpdate', rollingUpdate });
    const says =
      'Broken ones first, then one at a time, each on the GPU of the one it replaces: the same patch sets the roll-out settings of the predictor. Leave them so until all are new.';
    return { kind: 'none', why, byHand: { says, extra } };
  }
  const why = 'KServe makes the Deployment and its roll-out settings itself';
  const says =
    mode === undefined
      ? 'How it is rolled out depends on its deployment mode, which does not stand on it: Knative starts all replicas anew beside those that serve, on GPUs of their own.'
      : 'Knative starts a new revision beside the one that serves, which goes on until the new one is ready: as many GPUs again have to be free.';
  return { kind: 'none', why, byHand: { says, extra: null } };
}

function containerOf({ ref, object, container }: OwnerSource): ContainerPlace | undefined {
  // Several pods behind one predictor: which of them takes what is not told by the object.
  if (valueAt(object, `${PREDICTOR}/workerSpec`) !== undefined) return undefined;
  const value = valueAt(object, MODEL);
  if (value !== undefined) return { ref, object, path: MODEL, value, name: 'kserve-container', role: 'engine' };
  return findContainer({ ref, object }, PREDICTOR, container);
}

function argsOf(source: OwnerSource, container: ContainerPlace | undefined): ArgsWay {
  if (container === undefined) {
    const says = 'The predictor is neither one model nor one container, so where the arguments belong cannot be told.';
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

// What a value set here takes the place of is nowhere in the object that is written.
function sayRuntime(source: OwnerSource, container: ContainerPlace | undefined): Owner['hazards'] {
  const runtime = container?.path === MODEL ? runtimeOf(source) : undefined;
  const args = runtime === undefined ? undefined : valueAt(runtime.object, '/spec/containers/0/args');
  if (runtime === undefined || !Array.isArray(args) || args.length === 0) return [];
  const shown = args.map(String).join(' ');
  const words = shown.length <= WORDS ? shown : `${shown.slice(0, WORDS)}…`;
  const shares =
    runtime.ref.kind === 'ClusterServingRuntime' ? ', which serves other workloads too and is not changed' : '';
  const says = `${nameOf(runtime.ref)}${shares}, sets: ${words}. What is set here comes behind that.`;
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
  const says = `The arguments of ${nameOf(ref)} stand in the runtime ${runtime}, which was not read: as a ClusterServingRuntime it serves other workloads too and is not changed (who reads it needs the right to get clusterservingruntimes). Its own arguments come behind those of the runtime and win, unless a shell starts the engine: look first, then set them.`;
  const pasteWith = (words: readonly string[]): string => {
    const there = setField(object, `${MODEL}/args`, [...words]);
    return [
      '# Right only where no shell stands in the command of the runtime:',
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
