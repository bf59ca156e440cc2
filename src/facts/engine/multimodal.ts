import type { Fact } from '../../model/fact.ts';
import { known } from '../../read/cluster/reading.ts';
import { modelArgument } from '../../read/engine/arguments.ts';
import { fact } from '../draft.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { notedField } from '../evidence/snapshot-files.ts';
import { citeHit } from '../evidence/weigh.ts';

const MEDIA_FLAGS = [
  '--limit-mm-per-prompt',
  '--mm-processor-kwargs',
  '--mm-encoder-tp-mode',
  '--enable-multimodal',
  '--mmproj',
  '--image',
];
// The naming habit of model makers: Qwen2.5-VL, Qwen3-Omni, InternVL, Llama-3.2-11B-Vision, LLaVA, Pixtral, gemma-3.
const MEDIA_MODEL =
  /(?:^|[-_/. ])(?:vl|omni|vision|llava|pixtral|internvl\d?|minicpm-?[vo]|whisper|asr|audio|ocr|phi-\d-v|glm-?\d(?:\.\d)?v)(?=[-_/. \d]|$)|internvl|qwen[\d.]*-?vl|llava|gemma-?[34]n?-/i;

// What people call a program that was made for one such model, and images that bear its name.
const MEDIA_PROGRAM =
  /ocr\b|OCR\b|[Oo]mni\b|VL\b|vl-cli|[Vv]ideo|[Vv]ision\b|LLaVA|[Pp]ixtral|MiniCPM-[VOvo]|[Ww]hisper|\bASR\b|\basr\b|\bTTS\b|\btts\b|SenseVoice|[Dd]iffus(?:ion|ers)/;

/** Whether the engine takes images, video or audio. */
export function isMultimodal({ args, weighing, incident, program }: Evidence): Fact | undefined {
  const flag = args.find(({ flag: name }) => MEDIA_FLAGS.includes(name));
  if (flag !== undefined) return known(true, flag.from);
  const programs = [program.image, notedField(incident?.engine, '/engine')];
  const made = programs.find((one) => one !== undefined && MEDIA_PROGRAM.test(one.value));
  if (made !== undefined) return known(true, made.from);
  const model = modelArgument(args);
  if (model !== undefined) return known(MEDIA_MODEL.test(model.value), model.from);
  const named = weighing.all.find(({ hit }) => MODEL_NAMED.test(hit.clean));
  if (named !== undefined) return fact(true, [citeHit(named)]);
  // Notes of a command name the model without its flag.
  const word = program.words.find(({ value }) => MODEL_WORD.test(value) && MEDIA_MODEL.test(value));
  return word && known(true, word.from);
}

// A release, or its place in a store: a size in billions of parameters, or a number of the release, is in its name.
const MODEL_WORD = /^(?:[\w.-]{1,80}\/){0,8}[\w.-]{0,80}\d+(?:\.\d+)?[Bb](?:-[\w.-]{1,40})?,?$/;

const MODEL_NAMED =
  /model(?:[ _-]?(?:id|name|path))?['":= ]{1,4}(?:[\w./-]{0,80}[-_.])?(?:(?:vl|omni|vision)[-_.\d]|[\w./-]{0,80}(?:llava|internvl))/i;
