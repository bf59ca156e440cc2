import { cleanLine } from '../../read/log/clean-line.ts';
import { goesOn } from '../../read/log/signs-of-work.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { ranksShown } from '../evidence/ranks.ts';
import { lastLine, tailLines } from '../evidence/tail-lines.ts';
import type { Weighed } from '../evidence/weigh.ts';
import { killReports, OTHER_HAND } from '../log/killed-alone.ts';

// What only a start prints (vllm-project/vllm entrypoints/openai/api_server.py, v1/engine/core.py; sgl-project/sglang
// srt/entrypoints/engine.py; ggml-org/llama.cpp common/common.cpp; huggingface/text-generation-inference launcher).
const STARTS =
  /\bvLLM API server version\b|\bInitializing (?:a|an) (?:V\d )?LLM engine\b|\bserver_args=ServerArgs\(|^build: \d{1,6} \(|\btext_generation_launcher: Args \{/;

// Bars of progress and announcements of a load (huggingface/transformers modeling_utils.py; vllm-project/vllm
// model_loader/weight_utils.py; ggml-org/llama.cpp src/llama-model.cpp).
const LOADS =
  /\b[Ll]oading (?:pt |safetensors )?(?:checkpoint )?shards\b|\b[Ll]oading (?:the )?(?:model|weights)\b|\bload_tensors: /;

// A server that lost a child ends all of them and itself (sgl-project/sglang srt/utils/common.py, kill_process_tree), and
// so does who has seen enough.
const ENDED =
  /\bReceived sigquit\b|\bSIGQUIT received\b|\bkill_process_tree\b|\bp?kill(?:all)? +(?:-\S{1,12} +){1,3}\S|\^C/;

export type KilledNext = {
  readonly killed: Weighed;
  /** Whether a run is seen to start between the two; a load alone may be that of a process which the refusal left alive. */
  readonly again: boolean;
};

/** A kill that ends a log in which the device had refused before, where another run stands between, or the load of one. */
export function killedInNextRun(evidence: Evidence): KilledNext | undefined {
  const { weighing, log } = evidence;
  const killed = killReports(evidence).at(-1);
  const refused = weighing.proofs.findLast(({ phrase }) => phrase.plane === 'gpu');
  if (killed === undefined || refused === undefined || log.main === undefined) return undefined;
  if (killed.hit.line !== lastLine(log.main)?.line || refused.file !== killed.file) return undefined;
  const lines = tailLines(log.main).filter(({ line }) => line <= killed.hit.line);
  const between = lines.filter(({ line }) => line > refused.hit.line);
  if (between.some(({ text }) => ENDED.test(text) || OTHER_HAND.test(text)) || wasProbed(evidence)) return undefined;
  const isUp = weighing.all.some(({ hit, phrase }) => hit.line > refused.hit.line && goesOn(phrase.id));
  if (between.some(({ text }) => STARTS.test(cleanLine(text).clean))) return { killed, again: !isUp };
  const above = lines.filter(({ line, text }) => line < refused.hit.line && LOADS.test(text));
  const loads = between.filter(({ text }) => LOADS.test(text));
  if (loads.length === 0 || isUp || ranksShown(evidence) > 1) return undefined;
  return shareOf(loads[0]) > shareOf(above.at(-1)) ? undefined : { killed, again: false };
}

// A bar that stands higher than the one above the refusal is the same bar.
function shareOf(line: { readonly text: string } | undefined): number {
  return line === undefined ? 100 : Number(/(\d{1,3})%/.exec(line.text)?.[1] ?? 0);
}

function wasProbed({ kubernetes: { probeKilled } }: Evidence): boolean {
  return probeKilled.kind === 'known' && probeKilled.value;
}
