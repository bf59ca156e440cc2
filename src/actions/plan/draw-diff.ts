import { createTwoFilesPatch } from 'diff';
import { stringify } from 'yaml';
import { applyPatch } from '../../model/json-patch.ts';
import type { PlanStep } from '../../model/plan.ts';
import { type LiveRef, nameOf } from '../owners/read-object.ts';
import type { StepList } from './steps.ts';

const CONTEXT_LINES = 2;

/** What the writes change of the owner, as a unified diff of its YAML; other objects follow as their patches. */
export function drawDiff(ref: LiveRef, { steps }: Pick<StepList, 'steps'>, object: unknown): string {
  const writes = steps.filter((step): step is Extract<PlanStep, { kind: 'write' }> => step.kind === 'write');
  const own = writes.filter((step) => step.object.uid === ref.uid);
  const states: unknown[] = [object];
  for (const { patch } of own) {
    const applied = applyPatch(states.at(-1), patch);
    if (applied.kind === 'applied') states.push(applied.value);
  }
  // A count that goes to zero and back would not show in the first and last state: the lowest point is shown as well.
  const parts = own.length < 2 ? [diffOf(ref, states[0], states.at(-1))] : stagesOf(ref, states);
  const others = writes
    .filter((step) => step.object.uid !== ref.uid)
    .map(({ object: at, says }) => `# ${nameOf(at)}: ${says}\n`);
  return [...parts.filter((part) => part !== ''), ...others].join('\n');
}

function stagesOf(ref: LiveRef, states: readonly unknown[]): string[] {
  const whole = diffOf(ref, states[0], states.at(-1));
  return whole === '' ? states.slice(1).map((state, i) => diffOf(ref, states[i], state)) : [whole];
}

function diffOf(ref: LiveRef, before: unknown, after: unknown): string {
  const text = (value: unknown): string => stringify(value, { lineWidth: 0 });
  const [was, will] = [text(before), text(after)];
  if (was === will) return '';
  const name = nameOf(ref);
  const patch = createTwoFilesPatch(name, name, was, will, 'now', 'planned', { context: CONTEXT_LINES });
  // The first line is a ruler.
  return patch.split('\n').slice(1).join('\n');
}
