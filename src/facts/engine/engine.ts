import { type Cited, MILESTONES, type Milestone } from '../../model/engine-reader.ts';
import type { Fact } from '../../model/fact.ts';
import { known, unknown } from '../../read/cluster/reading.ts';
import { effectiveArgument, modelArgument, modelAsGiven, parseCount } from '../../read/engine/arguments.ts';
import { fact, factOf, type Group } from '../draft.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { notedField } from '../evidence/snapshot-files.ts';
import { citeHit } from '../evidence/weigh.ts';
import { deriveGpuLayers } from '../gpu/gpu-layers.ts';
import { lastLine } from '../log/tail-lines.ts';
import { lastMilestone, milestonesBefore } from '../when/life.ts';
import { readGauges } from './engine-gauges.ts';
import { deriveIdentity, readIdentity } from './engine-identity.ts';
import { deriveSettings } from './engine-settings.ts';
import { isMultimodal } from './multimodal.ts';
import { readSetBy } from './set-by.ts';
import { deriveWeightFiles } from './weight-files.ts';

/** The engine: what it is, what it was told, how far it came, how old it was. */
export function deriveEngine(evidence: Evidence): Group {
  const identity = readIdentity(evidence);
  return {
    ...deriveIdentity(evidence, identity),
    ...deriveSettings(evidence, identity),
    ...ofMilestones(evidence),
    ...ofLedger(evidence),
    ...deriveGpuLayers(evidence),
    'engine.set-by': readSetBy(evidence),
    'engine.model': modelOf(evidence),
    'engine.multimodal': isMultimodal(evidence),
    'engine.embeds': embeds(evidence),
    ...deriveWeightFiles(evidence),
  };
}

function modelOf({ args }: Evidence): Fact | undefined {
  const model = modelArgument(args);
  const given = modelAsGiven(args);
  if (model !== undefined || given === undefined) return factOf(model);
  const named = given.value.slice(0, LONGEST_NAME);
  return unknown('empty', `the arguments name it by a variable, ${named}, and its value is not in the evidence`);
}

const LONGEST_NAME = 60;

// The engine's own account of the card, and what it makes of it: as printed, else as its metrics show it.
function ofLedger(evidence: Evidence): Group {
  const { figures } = evidence.engine;
  const shown = readGauges(evidence);
  const orShown = (id: string, printed: Cited<number> | undefined) => ({ [id]: factOf(printed) ?? shown[id] });
  return {
    ...orShown('engine.weights', figures.weightsBytes),
    'engine.load-free': factOf(figures.loadFreeBytes),
    'engine.load-left': factOf(figures.loadLeftBytes),
    'engine.activations': factOf(figures.activationBytes),
    'engine.non-torch': factOf(figures.nonTorchBytes),
    ...orShown('engine.graphs', figures.graphBytes),
    ...orShown('engine.kv-available', figures.kvBytes),
    'engine.kv-needed': factOf(figures.kvNeededBytes),
    'engine.kv-token-bytes': factOf(figures.kvTokenBytes),
    ...orShown('engine.kv-blocks', figures.kvBlocks),
    ...orShown('engine.kv-tokens', figures.kvTokens),
    'engine.kv-holds-one': holdsOne(evidence),
    ...orShown('engine.free-after-start', figures.freeBytes),
    'engine.estimated-max-len': factOf(figures.estimatedMaxLen),
    'engine.least-fraction': factOf(figures.leastFraction),
  };
}

// LMDeploy takes them out of what the weights leave before it applies its fraction (pytorch/engine/executor/base.py).

// vLLM 0.10.2 ff. prints what was free before the weights were loaded, and takes what it was told to without another look
// (vllm/v1/worker/gpu_worker.py, determine_available_memory).

// The pool against one request of the maximum length: by the engine's own ratio, else by tokens, else by bytes.
function holdsOne({ engine, args }: Evidence): Fact | undefined {
  const { maxConcurrency, kvTokens, kvBytes } = engine.figures;
  if (kvBytes !== undefined && kvBytes.value <= 0) return known(false, kvBytes.from);
  if (kvTokens?.value === 0) return known(false, kvTokens.from);
  if (maxConcurrency !== undefined) return known(maxConcurrency.value >= 1, maxConcurrency.from);
  const length = effectiveArgument(args, '--max-model-len');
  const tokens = length && parseCount(length.value);
  if (kvTokens === undefined || length === undefined || tokens === undefined) return undefined;
  return fact(kvTokens.value >= tokens, [kvTokens.from, length.from]);
}

function ofMilestones(evidence: Evidence): Group {
  const last = lastMilestone(evidence);
  const seen = milestonesBefore(evidence);
  const at = (milestone: Milestone) => seen.find((one) => one.milestone === milestone)?.from;
  const ready = at('ready') ?? at('served');
  const began = seen.find(({ milestone }) => MILESTONES.indexOf(milestone) < MILESTONES.indexOf('ready'))?.from;
  const failed = evidence.weighing.decisive;
  const notReady = began !== undefined && failed !== undefined ? fact(false, [began, citeHit(failed)]) : undefined;
  const readiness = evidence.kubernetes.readiness;
  const ofPod = readiness.kind === 'known' ? known(readiness.value !== 'before-ready', ...readiness.from) : readiness;
  const end = lastLine(evidence.log.main);
  return {
    'engine.last-milestone': last ? known(last.milestone, last.from) : end && known('none', end),
    'engine.became-ready': ready === undefined ? (notReady ?? ofPod) : known(true, ready),
  };
}

const POOLING_FLAGS = ['--is-embedding', '--convert', '--pooler-config', '--override-pooler-config'];
const POOLING_TASK = /^(?:embed|embedding|classify|score|rerank|reward|pooling)$/;
// Servers made for nothing else: text-embeddings-inference, infinity.
const EMBEDDING_SERVER =
  /embeddings?[-_ ]inference|^(?:tei|infinity)\b|infinity[-_]emb|sentence[-_ ]transformers|flagembedding/i;
// The naming habit of makers of encoders: bge-m3, e5-mistral, gte-large, Qwen3-Embedding, jina-reranker.
const EMBEDDING_MODEL = /(?:^|[-_/. ])(?:embed(?:ding)?s?|re-?rank(?:er)?|bge|e5|gte|colbert|splade)(?=[-_/. \d]|$)/i;

function embeds({ args, incident, spec }: Evidence): Fact | undefined {
  const flag = args.find(({ flag: name }) => POOLING_FLAGS.includes(name));
  if (flag !== undefined) return known(true, flag.from);
  const task = effectiveArgument(args, '--task') ?? effectiveArgument(args, '--runner');
  if (task?.value != null && POOLING_TASK.test(task.value)) return known(true, task.from);
  if (spec.image !== undefined && EMBEDDING_SERVER.test(spec.image.value)) return known(true, spec.image.from);
  const declared = notedField(incident?.engine, '/engine');
  if (declared !== undefined && EMBEDDING_SERVER.test(declared.value)) return known(true, declared.from);
  const model = modelArgument(args);
  return model && known(EMBEDDING_MODEL.test(model.value), model.from);
}

// `wake_up` may bring back the weights alone; a step then reads a KV cache that is not there.
