import { anyOf } from '../../read/text/patterns.ts';

// Variables of engines, of what carries their tensors and of launchers; those that only make a program say more are advice.
const VARIABLE = anyOf(
  '',
  /\benv(?:ironment)? var(?:iable)?s?\b/,
  /\b(?!\w*(?:DEBUG|LOG))(?:VLLM|SGLANG|SGL|LMDEPLOY|LMCACHE|TM|TRTLLM|TLLM|OLLAMA|LLAMA_ARG|TGI|HF|NIM|MOONCAKE|NIXL|ASCEND|RAY|XINFERENCE|CUDA_VISIBLE|HIP_VISIBLE|ROCR_VISIBLE|MASTER)_[A-Z0-9][A-Z0-9_]+\b/,
  /\bLD_PRELOAD\b/,
);
const FLAG = /(?<![\w-])--[a-z][a-z0-9]+(?:[-_][a-z0-9]+)*\b/;
// How an engine is spread, which has to agree with the model, with the machines and with other settings.
const SPREAD = anyOf(
  'i',
  /\bworld[ _]?size\b|\b(?:tensor|pipeline|data|expert|context|sequence)[ _-](?:model[ _-])?parallel\w*/,
  /\b(?:tp|pp|dp|ep|cp|dcp|pcp)[ _-]?size\b/,
  /\b(?:number of|num[ _]?)(?:GPUs|devices|nodes|ranks|processes|shards)\b|\bnnodes\b|\bnode_rank\b/,
);
const CHECKS = anyOf(
  'i',
  /\b(?:must|should|expected|requires?|cannot|can't|can not|doesn't|only|invalid|unsupported|incompatible)\b/,
  /\bnot (?:equal|divisible|(?:yet |currently )?supported|compatible|support|match)|!=/,
  /\b(?:greater|less|more|fewer|larger|smaller) than\b|\bmismatch\b/,
);

// One request, or a step of one: those are checked as well, while the engine serves. What a program of its own has not set up
// is its own affair.
const OF_WORK =
  /\b(?:requests?|prompts?|inputs?|tokens?|seq_len|sequences|batch(?:es)?|images?|videos?|audio|image_url|modalit\w+|items|messages?|sampling)\b|\binitiali[sz]ed\b/i;

const BY_CHECKS =
  /^(?:Value|Assertion|Validation|Key|Type|NotImplemented|ArgumentType|Environment|EnvironmentVariable)Error$|^BadParameter$/;

/**
 * Whether an error names a setting that is wrong: a variable, a flag, or how the engine is spread over cards and machines.
 * Such things are read once, before anything is served.
 */
export function namesSetting({ type, message }: { readonly type: string; readonly message: string }): boolean {
  if (OF_WORK.test(message)) return false;
  const spread = SPREAD.test(message) && CHECKS.test(message);
  if (type === 'RuntimeError') return spread;
  return BY_CHECKS.test(type) && (spread || VARIABLE.test(message) || FLAG.test(message));
}

// What takes its size from a knob of memory, came out as nothing or less, or wants GPUs that are free: what is wrong with the
// setting may be that there is too little memory (SGLang's pools, slots of state in hybrid models; NIM's choice of a profile).
const OF_ROOM =
  /\bmem(?:ory)?[-_]fraction|utili[sz]ation\b|hicache|swap[-_]space|KVCACHE_SPACE|\b(?:is|are) zero\b|\bgot (?:0\b(?!\.)|-\d)|\bhas 0 |\(-\d|\bfree (?:GPUs?|room|memory)\b/i;

/** Whether an error about a setting may be one about room. */
export function mayBeOfRoom(message: string): boolean {
  return OF_ROOM.test(message);
}
