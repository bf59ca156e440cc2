import type { Cited } from '../../model/engine-reader.ts';
import type { Fact } from '../../model/fact.ts';
import { cleanLine } from '../../read/log/clean-line.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { fact } from '../log/draft.ts';
import { tailLines } from '../log/tail-lines.ts';

// Libraries that load a model and hand it each request as it comes, and the programs that are little more than one of them.
const PROGRAMS =
  /\b(?:transformers|exllama\w*|tabbyapi|text-generation-webui|oobabooga|koboldai|(?:local|private|h2o)gpt|openchatkit|fastchat|ktransformers|candle|mlx[-_ ]?v?ll?m\w*|funasr|diffusers|comfyui|invokeai|stable[-_]diffusion\w*|automatic1111|chatglm\w*|alpaca[-_]lora|peft|auto[-_]?(?:gptq|awq)|gptq[-_]for[-_]llama|lit[-_]?gpt|mindnlp|modelscope|llama[-_]?factory|unsloth|openai[-_]whisper|whisperx|tortoise[-_]tts|coqui|xtts|fish[-_]speech|cosyvoice|gpt[-_]sovits|flagembedding|nllb[-_]serve|inference[-_]toolkit|torchserve|compressed[-_]tensors|llm[-_]?compressor)\b/i;

// The loop of a generation and the layers of a model as the library has them.
const FRAMES = /[/\\]transformers[/\\](?:generation|models)[/\\]/;

/** Whether the name of the program, or that of its image, is known for it. */
export function handsOverByName({ program, incident }: Pick<Evidence, 'program' | 'incident'>): boolean {
  return [incident?.engine, program.image?.value].some((name) => name != null && PROGRAMS.test(name));
}

/**
 * Whether the program hands each request to its model as it comes: by its name, else by its image; a program that no reader
 * knows by the frames of such a library too, since engines run models of that library between steps of their own.
 */
export function readHandsOver(
  { program, log }: Pick<Evidence, 'program' | 'log'>,
  name: Cited<string> | undefined,
  isEngine: boolean,
): Fact | undefined {
  const named = [name, program.image].find((one) => one !== undefined && PROGRAMS.test(one.value));
  if (named !== undefined) return fact(true, [named.from]);
  if (isEngine) return name && fact(false, [name.from]);
  const frame = log.main && tailLines(log.main).find(({ text }) => FRAMES.test(cleanLine(text).clean));
  return frame && fact(true, [frame]);
}
