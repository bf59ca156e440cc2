import type { LineCitation } from '../../model/citation.ts';
import { parseSize } from '../../model/quantity.ts';
import { FAILS, type Read } from './family.ts';

// llm/server.go, LoadModel and llm/memory.go, log (ollama/ollama v0.3 - v0.12).
const FREE = /\bmsg="system memory" total="[^"]{1,24}" free="([^"]{1,24})"/;
const PLAN = /\bmemory\.required\.full="([^"]{1,24})" memory\.required\.partial="([^"]{1,24})"/;
const ENDED = /\brunner process has terminated\b/;
// What the plan leaves out, and what the rest of the machine takes meanwhile.
const MOST = 0.9;

/**
 * Where Ollama's runner ended in a load that leaves most of the model in RAM: its plan against what was free. The plan counts
 * what the layers on the processor take, for which it asks nobody.
 */
export function readLeftInRam(lines: readonly LineCitation[]): readonly Read[] {
  const plan = lines.findLast(({ text }) => PLAN.test(text));
  const free = sizeIn(
    lines.findLast(({ text, line }) => FREE.test(text) && line <= (plan?.line ?? 0)),
    FREE,
    1,
  );
  const [full, partial] = [sizeIn(plan, PLAN, 1), sizeIn(plan, PLAN, 2)];
  if (plan === undefined || free === undefined || full === undefined || partial === undefined) return [];
  const hasEnded = lines.some(({ text, line }) => line > plan.line && ENDED.test(text));
  return hasEnded && full - partial >= free * MOST
    ? [{ family: { plane: 'host', starting: 'host.offload', serving: 'host.offload' }, score: FAILS, from: plan }]
    : [];
}

function sizeIn(line: LineCitation | undefined, pattern: RegExp, group: number): number | undefined {
  const text = line === undefined ? undefined : pattern.exec(line.text)?.[group];
  return text === undefined ? undefined : parseSize(text);
}
