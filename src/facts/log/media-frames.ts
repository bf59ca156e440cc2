import type { LineCitation } from '../../model/citation.ts';
import { cleanLine } from '../../read/log/clean-line.ts';
import { FORWARD, FRAME, type Frame } from './traceback.ts';

// Engines keep the encoder of a model with eyes or ears in the file of that model, and its language model in another one.
const MEDIA_FILE =
  /\/models\/[^/"]{0,40}(?:vl\d?(?:_moe)?|llava\w{0,16}|pixtral|mllama|minicpm[vo]|internvl|idefics\d?|phi\dv|phi4mm|paligemma|gemma\dn?_mm|mistral3|ovis\d?|glm4_?\d?v|keye|molmo|fuyu|blip\d?|audio|ultravox)\.py$/;
const MODEL_IN = /\/models\/[^/"]{1,60}\.py$/;
const MEDIA_LINES = 60;

/** The frames of the encoder of a model that takes images, video or audio: forwards of its file that call on into no other model. */
export function mediaFrames(lines: readonly LineCitation[]): readonly Frame[] {
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
