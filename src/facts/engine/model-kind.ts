import type { Fact } from '../../model/fact.ts';
import { effectiveArgument, modelArgument, modelAsGiven } from '../../read/engine/arguments.ts';
import { known, unknown } from '../../read/reading.ts';
import { defineFacts } from '../evidence/define.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { notedField } from '../evidence/snapshot-files.ts';
import { citeHit } from '../evidence/weigh.ts';
import { fact, factOf } from '../log/draft.ts';
import { ARGS } from '../log/needs.ts';

/** The model, and what kind of requests it takes. */
export const ENGINE_MODEL = defineFacts(
  {
    'engine.model': { unit: 'text', says: 'model to serve', needs: ARGS },
    'engine.multimodal': { unit: 'yes-no', says: 'the model takes images, video or audio', needs: ARGS },
    'engine.embeds': {
      unit: 'yes-no',
      says: 'it embeds, ranks or classifies, and keeps no KV cache between steps',
      needs: ARGS,
    },
  },
  (evidence) => ({
    'engine.model': modelOf(evidence),
    'engine.multimodal': isMultimodal(evidence),
    'engine.embeds': embeds(evidence),
  }),
);

function modelOf({ args }: Evidence): Fact | undefined {
  const model = modelArgument(args);
  const given = modelAsGiven(args);
  if (model !== undefined || given === undefined) return factOf(model);
  const named = given.value.slice(0, LONGEST_NAME);
  return unknown('empty', `the arguments name it by a variable, ${named}, and its value is not in the evidence`);
}

const LONGEST_NAME = 60;

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

// Names of programs made for one such model, and of their images.
const MEDIA_PROGRAM =
  /ocr\b|OCR\b|[Oo]mni\b|VL\b|vl-cli|[Vv]ideo|[Vv]ision\b|LLaVA|[Pp]ixtral|MiniCPM-[VOvo]|[Ww]hisper|\bASR\b|\basr\b|\bTTS\b|\btts\b|SenseVoice|[Dd]iffus(?:ion|ers)/;

// Whether the engine takes images, video or audio.
function isMultimodal({ args, weighing, incident, program }: Evidence): Fact | undefined {
  const flag = args.find(({ flag: name }) => MEDIA_FLAGS.includes(name));
  if (flag !== undefined) return known(true, flag.from);
  const programs = [program.image, notedField(incident?.engine, '/engine')];
  const made = programs.find((one) => one !== undefined && MEDIA_PROGRAM.test(one.value));
  if (made !== undefined) return known(true, made.from);
  const model = modelArgument(args);
  if (model !== undefined) return known(MEDIA_MODEL.test(model.value), model.from);
  const named = weighing.all.find(({ hit }) => MODEL_NAMED.test(hit.clean));
  if (named !== undefined) return fact(true, [citeHit(named)]);
  // A command may name the model without its flag.
  const word = program.words.find(({ value }) => MODEL_WORD.test(value) && MEDIA_MODEL.test(value));
  return word && known(true, word.from);
}

// A release, or its place in a store: a size in billions of parameters, or a number of the release, is in its name.
const MODEL_WORD = /^(?:[\w.-]{1,80}\/){0,8}[\w.-]{0,80}\d+(?:\.\d+)?[Bb](?:-[\w.-]{1,40})?,?$/;

const MODEL_NAMED =
  /model(?:[ _-]?(?:id|name|path))?['":= ]{1,4}(?:[\w./-]{0,80}[-_.])?(?:(?:vl|omni|vision)[-_.\d]|[\w./-]{0,80}(?:llava|internvl))/i;

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
