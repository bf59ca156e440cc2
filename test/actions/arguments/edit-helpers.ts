import { expect } from 'vitest';
import { type EditInput, editArguments } from '../../../src/actions/arguments/edit-arguments.ts';
import type { ArgEdit, EditOutcome } from '../../../src/actions/arguments/edit-outcome.ts';
import { applyPatch } from '../../../src/model/json-patch.ts';

export type Container = { command?: string[]; args?: string[]; env?: unknown[] };
export type Edits = Readonly<Record<string, string | null>>;
export type More = Partial<EditInput>;

/** Words of a command line, as a text where none has a blank in it. */
export type Words = string | string[];
export const words = (of: Words): string[] => (typeof of === 'string' ? of.split(' ') : of);
export const env = (values: Readonly<Record<string, string>>): object[] =>
  Object.entries(values).map(([name, value]) => ({ name, value }));

export const VLLM = ['vllm', 'serve', 'm'];
export const inScript = (script: string): Container => ({ command: ['sh', '-c', script] });

export function edit(container: unknown, edits: Edits, more: More = {}): EditOutcome {
  const list = Object.entries(edits).map(([flag, to]): ArgEdit => ({ flag, to }));
  return editArguments({ engine: 'vllm', container, at: '', edits: list, ...more });
}

/** The container with an edit made; checks that the inverse gives back what was there. */
export function withEdit(container: Container, edits: Edits, more: More = {}): Container {
  const outcome = edit(container, edits, more);
  if (outcome.kind === 'refused') throw new Error(`${outcome.reason}: ${outcome.says}`);
  const done = applyPatch(container, outcome.patch);
  if (done.kind === 'failed') throw new Error(done.why);
  expect(applyPatch(done.value, outcome.inverse)).toEqual({ kind: 'applied', value: container });
  return done.value as Container;
}
