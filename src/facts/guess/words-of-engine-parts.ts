import { anyOf } from '../../read/text/patterns.ts';
import { FAILS, type Family, family, PART } from './family.ts';

/** Words for parts of an engine and for what it was at: they name no failure, and tell the cause where the plane is known otherwise. */
export const PARTS: readonly Family[] = [
  family(
    'gpu',
    ['gpu.startup.profiling', 'gpu.burst.multimodal'],
    /vision|visual|\bimages?\b|\bvideos?\b|pixel_values|multi-?modal|\bmm_(?!\w{1,16}=\[\])|siglip|\bVi[tT]\b|[图圖]片|照片|[视視][频頻]/,
    PART,
  ),
  family(
    'gpu',
    ['gpu.startup.profiling', 'gpu.burst.logits'],
    /(?:\b|(?:\b|_)(?:context|generation|prompt)_)logits\b(?! = [\w.]{0,40}mqa_logits)|log_?probs?\b|\bsampler\b|\btop_[kp]\b|\bsoftmax\b|\bargmax\b|\blm[-_]eval\b|\bloglikelihood\b|\bvocab(?!ulary, make sure the associated)/i,
    PART,
  ),
  family(
    'gpu',
    ['gpu.startup.profiling', 'gpu.burst.batched-tokens'],
    anyOf(
      'i',
      /profile_run|dummy_run|warm[-_ ]?up\b(?! graph)|profiling run|determine_(?:num_)?available/,
      /batch(?:ed)?[- ]prefill|prefill batch|fused_moe|fused_experts/,
      /status code returned while running \w{1,40} node/,
    ),
    PART,
  ),
  family(
    'gpu',
    ['gpu.startup.graph-capture', 'gpu.burst.headroom'],
    /cuda[-_ ]?graphs?|graph[-_ ](?:capture|compil)|captur(?:e|ing) |inductor|torch\.compile\b|triton_autotun/i,
    PART,
  ),
  family(
    'gpu',
    ['gpu.startup.kv-room', 'gpu.burst.long-context'],
    anyOf(
      'i',
      /model and (?:the )?(?:kv )?cache|n_ctx(?!_slot)|ctx[-_ ]size/,
      /(?:initiali[sz]e|create) (?:the |llama |a )?context\b|context (?:size|window|length)/,
      /max[-_]?(?:seq|model)[-_]?len|long (?:prompt|context)/,
      /\b\d{1,4}(?:\.\d)? ?[kM](?:[- ]token)?s? (?:prefills?|prompts?|contexts?|conversations?)\b/,
      /kv[-_ ]?cache(?! rm\b)|llama_kv/,
    ),
    PART,
  ),
  // SGLang takes requests back for want of pages (sgl-project/sglang srt/managers/scheduler.py, update_running_batch).
  family('gpu', ['gpu.startup.kv-room', 'gpu.burst.concurrency'], /\b[Dd]ecode out of memory happened\b/, PART),
  // What PyTorch advises with every refusal of its own stands behind its figures, which are cut off.
  family(
    'gpu',
    ['gpu.startup.weights', 'gpu.chronic.fragmentation'],
    anyOf(
      'i',
      /\bfragment(?:s|ed|ation)\b|\breserved[- ]but[- ]unallocated\b/,
      /\breserved (?:by PyTorch )?but (?:unallocated|not allocated|unused)\b/,
      /\bexpandable_segments\b[^\n]{0,40}\b(?:clear(?:s|ed)|fix(?:es|ed)|resolve[sd]|solve[sd]|cure[sd]|help(?:s|ed))\b/,
      /\b(?:clear|fix|resolv|solv|cur|help)\w{0,3} (?:it |this )?(?:by|with) [^\n]{0,40}\bexpandable_segments\b/,
    ),
    PART,
  ),
  // vLLM's workers load before they take calls: one that fails in a call has its weights, and then takes its pool.
  family('gpu', ['gpu.startup.utilization', 'gpu.burst.headroom'], /\bWorker failed with error '/, PART),
  family(
    'gpu',
    ['gpu.startup.weights', 'gpu.burst.headroom'],
    /load_weights|weight_loader|load(?:ing)? (?:the )?(?:model|weights|checkpoint|shard)|checkpoint shards|from_pretrained|safetensors|dequant/i,
    PART,
  ),
  family(
    'host',
    ['host.startup.workers', 'host.startup.workers'],
    /\b(?:cicc|nvcc|ptxas|cc1plus)\w{0,8}(?: rss| mem\w*)?[ =:]{1,3}\d{2,4}(?:\.\d{1,2})? ?G|\b(?:cicc|nvcc|ptxas|cc1plus|ninja|JIT (?:build|compil\w+))\b[^.\n]{0,60}\b(?:OOM\w*|killed|137)\b/i,
    FAILS,
  ),
  // Less than the libraries of an engine take by themselves, before any weights.
  family(
    'host',
    ['host.startup.limit', 'host.burst.payload'],
    /\b\d{2,3} ?Mi?B?\b (?:memory )?limits?\b|\b(?:memory )?limits? (?:of |is |was |to |at |: ?|= ?){0,2}\d{2,3} ?Mi?B?\b/i,
    PART,
  ),
  family(
    'host',
    ['host.startup.workers', 'host.burst.payload'],
    anyOf(
      '',
      /\bgunicorn\b[^\n]{0,80}workers?/,
      /\b(?:read|loaded) (?:whole )?by (?:all|every|each)(?: of the)? (?:workers?|ranks?|process(?:es)?)\b/,
      /\b(?:each|every) (?:tensor[- ]parallel )?(?:rank|worker|process) (?:loads|reads)\b/,
      /--workers?[ =](?:[2-9]|\d{2})\b|\bWorker \(pid:\d{1,9}\)/,
    ),
    PART,
  ),
  family(
    'host',
    ['host.offload', 'host.offload'],
    /cpu[-_ ]offload|offload_to_cpu|kv[-_ ]offload|swap[-_ ]space|\bhicache\b|host[-_ ](?:kv|cache|pool)/i,
    PART,
  ),
];
