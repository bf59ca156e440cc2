import type { LineCitation } from '../../model/citation.ts';
import type { LogReading } from '../../model/log-reading.ts';
import { cleanLine } from '../../read/log/clean-line.ts';
import { anyOf } from '../../read/text/patterns.ts';
import { tailLines } from './tail-lines.ts';
import { FORWARD, FRAME, type Frame, fileOf, nameOf, type Stage, unboxed } from './traceback.ts';

// What engines call the functions of a start and of a step; the first that fits, the particular before the general.
const STAGE_OF_NAME: readonly (readonly [RegExp, Stage])[] = [
  // V0 of vLLM captured in `warm_up_model`; what V1 calls `compile_or_warm_up_model` warms kernels as well.
  [/capture(?!r|_hidden|_state)|cuda_?graph|device_graphs|^_?warm_up_model$/i, 'graph-capture'],
  [
    // The engine's `_initialize_kv_caches` profiles before it allocates; the worker's function has no plural.
    anyOf(
      'i',
      /^_?initialize_kv_caches$|profile_run|determine_(?:num_)?available|dummy_(?:\w{1,20}_)?run/,
      /profile_(?:num|cudagraph|multimodal|torch|max)|warm_?up|autotune|check_max_len_infer/,
      /get_max_total_num_tokens|profile_max_num|estimate_max|configure_kv_cache_capacity/,
    ),
    'profile',
  ],
  // The scores of an attention's indexer (DeepGEMM fp8_mqa_logits) and of a router are called logits, too, and know no words.
  // What Megatron turns back into 32 bits is what the last layer gives (NVIDIA/Megatron-LM core/transformer/module.py).
  [
    /sampler|sampling|sample_|_sample|^sample$|^float16_to_fp32$|^float_conversion$|(?<!(?:mqa|attn|attention|index(?:er)?|router|gat(?:e|ing))_)logits|log_?prob/i,
    'sampler',
  ],
  [
    /embed_mm|prefill_embedding|data_embedding|get_(?:audio|video)|vision|visual|\bvit_|_vit\b|encoder|pixel|siglip|multi_?modal|image/i,
    'encoder',
  ],
  [
    anyOf(
      'i',
      /initialize_kv|init_kv|allocate_kv|create_kv|kv_cache_(?:tensors|manager)|KVCacheManager/,
      /init_memory_pool|init_mem_manager|kv_cache_init|_create_buffers|init(?:ialize)?_cache/,
      /allocate_(?:\w{1,24}_)?caches?$|allocate_(?:gpu_|cpu_)?cache|reserve_(?:runtime|state)\w{0,12}_mem/,
      /build_cache_engine|alloc_memory_pool|init_(?:mamba|state|ssm|swa|hybrid|token|req)\w{0,16}pool/,
      /init_pools|create_state_tensors|prealloc\w{0,30}_pool/,
    ),
    'kv-cache',
  ],
  [
    anyOf(
      'i',
      /load_model|load_weight|load_\w{0,20}module|deserialize_weights|weight_loader|process_weights/,
      /create_weights|from_pretrained|get_model|init(?:ialize)?_model|init_lora_manager|load_lora_model/,
      /create_lora_(?:manager|modules|weights)|setup_dummy_loras|load_shard|create_quantized|make_layers/,
      /_create_weight|load_checkpoint|load_state_dict|load_pretrained|load_autosplit/,
      /load_(?:gen|tp|gguf|hf_model|hf_weights|qkv|experts?)$|^load$|init_weights$/,
      /get_(?:multi_)?weights_(?:row|col)|_loader$|dispatch_model|set_module_tensor|build_model|^_apply$/,
      /repack|dequantize|(?:convert|prepare|shuffle|swizzle|interleave)_\w{0,40}weights?|requant/,
    ),
    'load',
  ],
  // Before anything of the engine's own is on the card.
  [
    /^_lazy_init$|^init_device$|init_torch_distributed|init_worker_distributed_environment|init_distributed_environment|(?:ensure|initialize)_model_parallel/,
    'device',
  ],
  [
    anyOf(
      'i',
      /execute_model|execution_loop|forward|prefill|decode|generate|^_?encode(?:_core|_batch|_sentences)?$/,
      /^_?embed(?:_batch|_documents|_query)?$|^update_(?:actor|policy|critic)$/,
      /^train(?:ing)?_(?:step|batch)$|mqa_logits|attn_indexer/,
    ),
    'execute',
  ],
];

// The layers of an encoder and those behind the last layer are called `forward` like all others: their files tell.
const ENCODER_FILE =
  /(?:vision|visual|vit|siglip|clip|encoder|mm_utils|whisper)[^/]*\.py$|\/(?:deep|image|vision|visual|audio|video|mm)_?(?:encoder|tower)s?\/[^/]*\.py$/i;
const SAMPLER_FILE =
  /(?:logits_process(?:or)?|sampler|sampling|logprobs?|penalties|\/sample\/ops\/\w{1,40}|sampling_batch_info)\.py$/;
// vLLM: ranks without requests step along, adapters, RL loops; SGLang the same under its own names.
const SERVES =
  /^(?:execute_dummy_batch|add_lora|load_lora_adapter|reload_weights|update_(?:weights(?:_from_\w{1,40})?|params))$/;

// An engine that slept takes back what it had lent to a trainer: vLLM, LMDeploy; SGLang.
const WAKES = /^(?:wake_?up|resume_memory_occupation)$/;

// Modules are built, and their weights allocated, in their constructors; nothing else is called `__init__` there.
const MODEL_FILE = /\/(?:models|layers|modeling|custom_modeling)\/[^"]*\.py$/;

// Pools take their memory in their constructors.
const POOL_FILE = /\/(?:memory_pool|mem_manager|cache_engine|(?:kv_)?cache|kv_cache_manager|resource_manager)\.py$/;

// What reads and places weights, whatever its functions are called.
const LOADER_FILE =
  /(?:\/model_loader\/\w{1,40}|\/weight_loader\/\w{1,40}|\/utils\/weights|weight_utils|modeling_utils)\.py$/;

const GENERATION_FILE = /\/transformers\/generation\//;

// The line below a frame is the call itself: it tells where the next frame, cut away, would stand.
const CALL = /(?:_run_workers|collective_rpc|run_method)\(\s{0,4}["'](\w{1,120})["']|(\w{1,120})\(/;

/** The frames of Python tracebacks in what a log ends with, each with the stage that its function or its file speaks of. */
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
  return byName === undefined || FORWARD.test(name) ? (stageOfFile(file) ?? byName) : byName;
}

function stageOfFile(file: string): Stage | undefined {
  if (SAMPLER_FILE.test(file)) return 'sampler';
  if (LOADER_FILE.test(file)) return 'load';
  return ENCODER_FILE.test(file) ? 'encoder' : undefined;
}

/** The stage that a name of a function or of a file speaks of. */
export function stageOfName(name: string): Stage | undefined {
  return STAGE_OF_NAME.find(([pattern]) => pattern.test(name))?.[1];
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
