import type { LineCitation } from '../../../model/citation.ts';
import type { Evidence } from '../evidence.ts';
import { says } from '../guess/no-memory/speech.ts';
import { remarkLines } from '../guess/remark-lines.ts';
import type { Stage } from './frame-line.ts';
import { stageOfName } from './frames.ts';
import { isStarting } from './starting.ts';
import { LACKS_AT_WAKING } from './waking.ts';

const SHORT = /\bout[- ]of[- ](?:\w+ )?memory\b|\bOOM(?:s|ed|ing)?\b|\bOutOfMemoryError\b/i;
const OF_RAM = /\bkill\w*|\b(?:host|RAM|CPU|cgroup|pod|137)\b/i;
// Names of functions where it failed, as people retell a traceback: no flag, no file, no field with its value.
const NAMES =
  /(?<=\b(?:in|inside|within|from|by|at|through|via|of|during) |, |\(|\.py |> |→ )\w{0,40}[a-z]_\w{1,60}(?![\w.]|-\w| ?[=:] ?\S| (?:of |to |at )?\d)/g;
// The one that it was itself.
const FAILED_IN =
  /\b\w{0,40}[a-z]_\w{1,60}(?=(?:\(\))? (?:(?:runs?|ran|goes|went) out of (?:GPU |device )?memory|OOMs\b))/g;

/** The stage that people name of a want of GPU memory whose lines they left out: a waking, or frames by their names. */
export function readStageTold(
  evidence: Pick<Evidence, 'weighing' | 'readings'>,
): { readonly stage: Stage; readonly from: LineCitation } | undefined {
  if (evidence.weighing.decisive !== undefined) return undefined;
  for (const { text, from } of remarkLines(evidence)) {
    const stage = stageIn(text);
    if (stage !== undefined) return { stage, from };
  }
  return undefined;
}

function stageIn(text: string): Stage | undefined {
  if (says(text, LACKS_AT_WAKING) && !OF_RAM.test(text)) return 'wake';
  if (!SHORT.test(text) || OF_RAM.test(text)) return undefined;
  const stages = [...(text.match(FAILED_IN) ?? []), ...(text.match(NAMES) ?? [])].flatMap(
    (name) => stageOfName(name) ?? [],
  );
  return stages.find(isStarting) ?? stages.find((stage) => stage !== 'execute') ?? stages[0];
}
