import type { LineCitation } from '../../model/citation.ts';
import { cleanLine } from '../../read/log/clean-line.ts';
import { FORWARD, FRAME, type Frame, fileOf, nameOf } from './traceback.ts';

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

/** The frames that belong to the tower of a model that takes images, video or audio, by files, calls and processes. */
export function mediaFrames(lines: readonly LineCitation[]): readonly Frame[] {
  return [...encodersAmong(lines), ...towersAmong(lines), ...attentionAmong(lines)];
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

const LANGUAGE = /language_model|lm_head|\bself\.(?:llm|model)\(/;

function isFollowing(line: number, other: number): boolean {
  return other > line && other - line <= MEDIA_LINES;
}
