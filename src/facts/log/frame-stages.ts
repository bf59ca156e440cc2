import type { LineCitation } from '../../model/citation.ts';
import type { Stage } from '../../model/guess-words.ts';
import type { LogReading } from '../../model/log-reading.ts';
import { tablesInForce } from '../../model/reference-tables.ts';
import { cleanLine } from '../../read/log/clean-line.ts';
import { tailLines } from './tail-lines.ts';
import { FORWARD, FRAME, type Frame, fileOf, nameOf, unboxed } from './traceback.ts';

// vLLM: ranks without requests step along, adapters, RL loops; SGLang the same under its own names.
const SERVES =
  /^(?:execute_dummy_batch|add_lora|load_lora_adapter|reload_weights|update_(?:weights(?:_from_\w{1,40})?|params))$/;

// An engine that wakes up reclaims what it had lent to a trainer: vLLM, LMDeploy; SGLang.
const WAKES = /^(?:wake_?up|resume_memory_occupation)$/;

// Modules are built, and their weights allocated, in their constructors; nothing else is called `__init__` there.
const MODEL_FILE = /\/(?:models|layers|modeling|custom_modeling)\/[^"]*\.py$/;

// Pools take their memory in their constructors.
const POOL_FILE = /\/(?:memory_pool|mem_manager|cache_engine|(?:kv_)?cache|kv_cache_manager|resource_manager)\.py$/;

const GENERATION_FILE = /\/transformers\/generation\//;

// The line below a frame is the call itself: it tells where the next frame, cut away, would stand.
const CALL = /(?:_run_workers|collective_rpc|run_method)\(\s{0,4}["'](\w{1,120})["']|(\w{1,120})\(/;

/** The frames of Python tracebacks in what a log ends with, each with the stage that its function or its file mentions. */
export function readFrames(log: LogReading | undefined): readonly Frame[] {
  if (log === undefined) return [];
  const lines = tailLines(log);
  const plain = unboxed(lines.map(({ text }) => cleanLine(text).clean));
  let above: string | undefined;
  const frames = lines.flatMap((from, i): Frame[] => {
    const clean = plain[i]?.trimEnd() ?? '';
    // Between a frame in a box and its call stands the code around it.
    if (clean === '' && from.text !== '') return [];
    const match = FRAME.exec(clean);
    const stage = match === null ? stageOfCall(clean, above) : stageOfFrame(match);
    above = match === null ? undefined : fileOf(match.groups);
    return framed(nameOf(match?.groups), stage, from);
  });
  return [...frames, ...mediaFrames(lines)];
}

function framed(name: string, stage: Stage | undefined, from: Frame['from']): Frame[] {
  if (WAKES.test(name)) return [{ stage: 'wake', serves: false, from }];
  const serves = SERVES.test(name);
  if (serves) return [{ stage: 'execute', serves, from }];
  return stage === undefined ? [] : [{ stage, serves, from }];
}

// A model's last layer, in 32 bits: one row of the vocabulary for each token that is asked for.
const LOGITS_CALL = /(?<![\w.])(?:\w{1,20}_token_)?logits(?:\[[^\]]{0,40}\])?\.(?:float|log_softmax)\(|\blog_softmax\(/;

// The buffers of the pool, a list of a tensor for each layer: LightLLM mem_manager.py, SGLang mem_cache/memory_pool.py.
const POOL_CALL = /^\s*self\.(?:k|v|key|value|kv)_?buffer = \[?\s*torch\.(?:empty|zeros)\(/;

function stageOfCall(clean: string, above: string | undefined): Stage | undefined {
  if (POOL_CALL.test(clean)) return 'kv-cache';
  if (above === undefined) return undefined;
  if (LOGITS_CALL.test(clean)) return 'sampler';
  const call = CALL.exec(clean);
  const name = call?.[1] ?? call?.[2] ?? '';
  // `sample` of transformers, `_sample` from 4.39 on, is the loop over all steps of a generation.
  const isLoop = name === 'sample' || (GENERATION_FILE.test(above) && /^_(?:beam_)?sample$/.test(name));
  return isLoop ? undefined : stageOfName(name);
}

function stageOfFrame({ groups }: RegExpExecArray): Stage | undefined {
  const file = fileOf(groups);
  const name = nameOf(groups);
  if (name === '__init__' && MODEL_FILE.test(file)) return 'load';
  if (name === '__init__' && POOL_FILE.test(file)) return 'kv-cache';
  if (GENERATION_FILE.test(file)) return 'execute';
  const byName = stageOfName(name);
  return byName === undefined || FORWARD.test(name)
    ? (tablesInForce().namedStages.find(({ files }) => files.test(file))?.stage ?? byName)
    : byName;
}

/** The stage that a name of a function or of a file mentions. */
export function stageOfName(name: string): Stage | undefined {
  return tablesInForce().namedStages.find(({ functions }) => functions.test(name))?.stage;
}

// Engines keep the encoder of a model with eyes or ears in the file of that model, and its language model in another one.
const MEDIA_FILE =
  /\/models\/[^/"]{0,40}(?:vl\d?(?:_moe)?|llava\w{0,16}|pixtral|mllama|minicpm[vo]|internvl|idefics\d?|phi\dv|phi4mm|paligemma|gemma\dn?_mm|mistral3|ovis\d?|glm4_?\d?v|keye|molmo|fuyu|blip\d?|audio|ultravox)\.py$/;
const MODEL_IN = /\/models\/[^/"]{1,60}\.py$/;
const MEDIA_LINES = 60;

/** The frames of the encoder of a model that takes images, video or audio: forwards of its file that call on into no other model. */
function mediaFrames(lines: readonly LineCitation[]): readonly Frame[] {
  const models = lines.flatMap((from, i) => {
    const { file, name } = FRAME.exec(cleanLine(from.text).clean)?.groups ?? {};
    return file !== undefined && MODEL_IN.test(file) ? [{ file, name, from, call: lines[i + 1]?.text ?? '' }] : [];
  });
  return models
    .filter(({ file, name, call }) => MEDIA_FILE.test(file) && FORWARD.test(name ?? '') && !LANGUAGE.test(call))
    .filter((one) => !models.some(({ file, from }) => file !== one.file && isFollowing(one.from.line, from.line)))
    .map(({ from }) => ({ stage: 'encoder', serves: false, from }));
}

const LANGUAGE = /language_model|lm_head|\bself\.(?:llm|model)\(/;

function isFollowing(line: number, other: number): boolean {
  return other > line && other - line <= MEDIA_LINES;
}
