import type { LineCitation } from '../../../model/citation.ts';
import type { LogReading } from '../../../model/log-reading.ts';
import { cleanLine } from '../../scan/clean-line.ts';
import { tailLines } from '../weigh/tail-lines.ts';
import { unboxed } from './boxed.ts';

export type Stage =
  | 'device'
  | 'wake'
  | 'load'
  | 'profile'
  | 'kv-cache'
  | 'graph-capture'
  | 'execute'
  | 'sampler'
  | 'encoder';

export type Frame = {
  readonly stage: Stage;
  /** Whatever it calls, the engine has been serving: weights, adapters and graphs are then taken anew. */
  readonly serves: boolean;
  readonly from: LineCitation;
};

// `File "/path/model.py", line 12, in forward` of Python, `File /path/model.py:12, in Model.forward(self)` of notebooks and
// `/path/model.py in forward(self)` of older ones (ipython IPython/core/ultratb.py); of a C++ or Rust trace no names survive
// inlining.
const FRAME =
  /File "(?<file>[^"]{1,300})", line \d{1,7}(?:, in (?<name>[\w.<>]{1,120}))?|File (?<cell>\/\S{1,300}):\d{1,7}, in (?:\w{1,120}\.)?(?<method>\w{1,120})\(|^(?<old>[~/]\S{0,300}\.py) in (?<def>\w{1,120})\(/;

// A frame that a logger or a mailer has wrapped goes on in the next line.
const CUT = /\bFile(?: "[^"]{1,300}",?)?$/;

// What engines call the functions of a start and of a step; the first that fits, the particular before the general.
const STAGE_OF_NAME: readonly (readonly [RegExp, Stage])[] = [
  // V0 of vLLM captured in `warm_up_model`; what V1 calls `compile_or_warm_up_model` warms kernels as well.
  [/capture(?!r|_hidden|_state)|cuda_?graph|device_graphs|^_?warm_up_model$/i, 'graph-capture'],
  [
    // The engine's `_initialize_kv_caches` profiles before it allocates; the worker's function has no plural.
    /^_?initialize_kv_caches$|profile_run|determine_(?:num_)?available|dummy_(?:\w{1,20}_)?run|profile_(?:num|cudagraph|multimodal|torch|max)|warm_?up|autotune|check_max_len_infer|get_max_total_num_tokens|profile_max_num|estimate_max|configure_kv_cache_capacity/i,
    'profile',
  ],
  // The scores of an attention's indexer (DeepGEMM fp8_mqa_logits) and of a router are called logits, too, and know no words.
  [
    /sampler|sampling|sample_|_sample|^sample$|(?<!(?:mqa|attn|attention|index(?:er)?|router|gat(?:e|ing))_)logits|log_?prob/i,
    'sampler',
  ],
  [
    /embed_mm|prefill_embedding|data_embedding|get_(?:audio|video)|vision|visual|\bvit_|_vit\b|encoder|pixel|siglip|multi_?modal|image/i,
    'encoder',
  ],
  [
    /initialize_kv|init_kv|allocate_kv|create_kv|kv_cache_(?:tensors|manager)|KVCacheManager|init_memory_pool|init_mem_manager|kv_cache_init|_create_buffers|init(?:ialize)?_cache|allocate_(?:\w{1,24}_)?caches?$|allocate_(?:gpu_|cpu_)?cache|reserve_(?:runtime|state)\w{0,12}_mem|build_cache_engine|alloc_memory_pool|init_(?:mamba|state|ssm|swa|hybrid|token|req)\w{0,16}pool|init_pools|create_state_tensors|prealloc\w{0,30}_pool/i,
    'kv-cache',
  ],
  [
    /load_model|load_weight|load_\w{0,20}module|deserialize_weights|weight_loader|process_weights|create_weights|from_pretrained|get_model|init(?:ialize)?_model|init_lora_manager|load_lora_model|create_lora_(?:manager|modules|weights)|setup_dummy_loras|load_shard|create_quantized|make_layers|_create_weight|load_checkpoint|load_state_dict|load_pretrained|load_autosplit|load_(?:gen|tp|gguf|hf_model|hf_weights|qkv|experts?)$|^load$|init_weights$|get_(?:multi_)?weights_(?:row|col)|_loader$|dispatch_model|set_module_tensor|build_model|^_apply$|repack|dequantize|(?:convert|prepare|shuffle|swizzle|interleave)_\w{0,40}weights?|requant/i,
    'load',
  ],
  // Before anything of the engine's own is on the card.
  [
    /^_lazy_init$|^init_device$|init_torch_distributed|init_worker_distributed_environment|init_distributed_environment|(?:ensure|initialize)_model_parallel/,
    'device',
  ],
  [
    /execute_model|execution_loop|forward|prefill|decode|generate|^_?encode(?:_core|_batch|_sentences)?$|^_?embed(?:_batch|_documents|_query)?$/i,
    'execute',
  ],
];

// The layers of an encoder and those behind the last layer are called `forward` like all others: their files tell.
const ENCODER_FILE =
  /(?:vision|visual|vit|siglip|clip|encoder|mm_utils|whisper)[^/]*\.py$|\/(?:deep|image|vision|visual|audio|video|mm)_?(?:encoder|tower)s?\/[^/]*\.py$/i;
// Engines keep the encoder of a model with eyes or ears in the file of that model, and its language model in another one.
const MEDIA_FILE =
  /\/models\/[^/"]{0,40}(?:vl\d?(?:_moe)?|llava\w{0,16}|pixtral|mllama|minicpm[vo]|internvl|idefics\d?|phi\dv|phi4mm|paligemma|gemma\dn?_mm|mistral3|ovis\d?|glm4_?\d?v|keye|molmo|fuyu|blip\d?|audio|ultravox)\.py$/;
const MODEL_IN = /\/models\/[^/"]{1,60}\.py$/;
// The library keeps both in one file: the calls of the tower and of its attention are its own, those of the language model
// speak of `query_states` (huggingface/transformers models/qwen2_vl/modeling_qwen2_vl.py, qwen2_5_vl, glm4v).
const MEDIA_MODELING =
  /\/modeling_[^/"]{0,40}(?:vl\d?(?:_moe)?|llava\w{0,16}|pixtral|mllama|minicpm[vo]|internvl|idefics\d?|omni(?:_\w{1,16})?|keye|glm4v|ovis\d?)\.py$/;
const OF_TOWER =
  /\bself\.visual\(|\bself\.get_(?:image|video|audio)_features\(|\bblk\(|\bcu_seqlens\w{0,8}\b|\bscaled_dot_product_attention\(\s*q, k, v\b/;
const MEDIA_LINES = 60;
const SAMPLER_FILE =
  /(?:logits_process(?:or)?|sampler|sampling|logprobs?|penalties|\/sample\/ops\/\w{1,40}|sampling_batch_info)\.py$/;
const FORWARD = /^_?forward(?:_(?:cuda|native|hip|impl|npu|xpu))?$|^__call__$/;

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

// The status of a container keeps the end of a traceback, which may begin with the call of a frame that is cut away.
const CUT_TO_CALL = /^\s*(?:- )?[Mm]essage: {1,16}['"]?[\w.]{1,120}\(/;

const GENERATION_FILE = /\/transformers\/generation\//;

// The line below a frame is the call itself: it tells where the next frame, cut away, would stand.
const CALL = /(?:_run_workers|collective_rpc|run_method)\(\s{0,4}["'](\w{1,120})["']|(\w{1,120})\(/;

// An excerpt that begins within a frame: `site-packages/x/model.py", line 12, in forward`.
const BEGINS_WITHIN = /^(?=[^"\s]{1,300}\.py", line \d{1,7})/;

/** The frames of Python tracebacks in what a log ends with, each with the stage that its function or its file speaks of. */
export function readFrames(log: LogReading | undefined): readonly Frame[] {
  if (log === undefined) return [];
  let cut = '';
  const lines = tailLines(log);
  const plain = unboxed(lines.map(({ text }) => cleanLine(text).clean));
  let above = CUT_TO_CALL.test(plain[0] ?? '') && FRAME.test(plain[1] ?? '') ? '' : undefined;
  const frames = lines.flatMap((from, i): Frame[] => {
    // Between a frame in a box and its call stands the code around it.
    if (plain[i] === '' && from.text !== '') return [];
    const clean = `${cut}${plain[i]?.trimEnd()}`.replace(BEGINS_WITHIN, 'File "');
    cut = CUT.test(clean) ? `${clean} ` : '';
    const match = FRAME.exec(clean);
    const stage = match === null ? stageOfCall(clean, above) : stageOfFrame(match);
    above = match === null ? undefined : fileOf(match.groups);
    return framed(nameOf(match?.groups), stage, from);
  });
  return [...frames, ...encodersAmong(lines), ...towersAmong(lines), ...attentionAmong(lines), ...warmUpsAmong(lines)];
}

function nameOf(groups: RegExpExecArray['groups']): string {
  return groups?.name ?? groups?.method ?? groups?.def ?? '';
}

function fileOf(groups: RegExpExecArray['groups']): string {
  return groups?.file ?? groups?.cell ?? groups?.old ?? '';
}

function framed(name: string, stage: Stage | undefined, from: Frame['from']): Frame[] {
  if (WAKES.test(name)) return [{ stage: 'wake', serves: false, from }];
  const serves = SERVES.test(name);
  if (serves) return [{ stage: 'execute', serves, from }];
  return stage === undefined ? [] : [{ stage, serves, from }];
}

// A forward of such a file that calls on into no other model is the encoder's.
function encodersAmong(lines: readonly LineCitation[]): Frame[] {
  const models = lines.flatMap((from, i) => {
    const { file, name } = FRAME.exec(cleanLine(from.text).clean)?.groups ?? {};
    return file !== undefined && MODEL_IN.test(file) ? [{ file, name, from, call: lines[i + 1]?.text ?? '' }] : [];
  });
  return models
    .filter(({ file, name, call }) => MEDIA_FILE.test(file) && FORWARD.test(name ?? '') && !LANGUAGE.test(call))
    .filter((one) => !models.some(({ file, from }) => file !== one.file && isFollowing(one.from.line, from.line)))
    .map(({ from }) => ({ stage: 'encoder', serves: false, from }));
}

// Attention of such a tower without a saving kernel: its heads have no batch before them, those of a language model do.
const CALL_OF_TOWER = /\battn_weights = torch\.matmul\(q, k\.transpose\(1, 2\)\) \/ math\.sqrt\(self\.head_dim\)/;

function towersAmong(lines: readonly LineCitation[]): Frame[] {
  return lines
    .filter(({ text }, i) => {
      if (CALL_OF_TOWER.test(text)) return true;
      const file = fileOf(FRAME.exec(cleanLine(text).clean)?.groups);
      return MEDIA_MODELING.test(file) && OF_TOWER.test(lines[i + 1]?.text ?? '');
    })
    .map((from) => ({ stage: 'encoder', serves: false, from }));
}

// Decoders of these engines attend by kernels of their own, PyTorch's module is that of towers and of what pools their
// patches (vllm model_executor/models/minicpmv.py BaseResampler, siglip.py). Elsewhere models of text and speech use it, too.
const OF_ENGINE = /\/(?:vllm\/model_executor|sglang\/srt)\/models\/[^/"]{1,60}\.py$/;
const PROCESS_OF_ENGINE = /^(?:EngineCore|Worker|VllmWorker)/;
const ATTENTION = /^multi_head_attention_forward$/;

function attentionAmong(lines: readonly LineCitation[]): Frame[] {
  const frames = lines.flatMap((from) => {
    const { clean, process = '' } = cleanLine(from.text);
    const { groups } = FRAME.exec(clean) ?? {};
    return groups === undefined ? [] : [{ file: fileOf(groups), name: nameOf(groups), process, from }];
  });
  const models = frames.filter(({ file }) => OF_ENGINE.test(file));
  const isOfEngine = ({ process, from }: Pick<(typeof frames)[number], 'process' | 'from'>) =>
    PROCESS_OF_ENGINE.test(process) || models.some((one) => isFollowing(one.from.line, from.line));
  return frames
    .filter((one) => ATTENTION.test(one.name) && isOfEngine(one))
    .map(({ from }) => ({ stage: 'encoder', serves: false, from }));
}

// llama.cpp answers an empty prompt before it serves: in a backtrace its decode is called by what sets the model up.
function warmUpsAmong(lines: readonly LineCitation[]): Frame[] {
  return lines
    .filter(({ text }, i) => /\bllama_decode\b/.test(text) && SETS_UP.test(lines[i + 1]?.text ?? ''))
    .map((from) => ({ stage: 'profile', serves: false, from }));
}

const SETS_UP = /common_init_from_params|llama_init_from_gpt_params/;

const LANGUAGE = /language_model|lm_head|\bself\.(?:llm|model)\(/;

function isFollowing(line: number, other: number): boolean {
  return other > line && other - line <= MEDIA_LINES;
}

// A model's last layer, in 32 bits: one row of the vocabulary for each token that is asked for.
const LOGITS_CALL = /(?<![\w.])(?:\w{1,20}_token_)?logits(?:\[[^\]]{0,40}\])?\.(?:float|log_softmax)\(|\blog_softmax\(/;

function stageOfCall(clean: string, above: string | undefined): Stage | undefined {
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
