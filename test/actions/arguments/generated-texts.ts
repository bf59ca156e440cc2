import fc from 'fast-check';
import { expect } from 'vitest';
import type { Env, Spec } from './generated-specs.ts';
import type { Made } from './generated-words.ts';
import { checkScript } from './word-oracle.ts';

/** Arguments in the text of a variable: of the one that vLLM's presets read, or of one that a script names. */
export type TextSpec = Omit<Spec, 'from' | 'script'> & { readonly at: number; readonly isReferred: boolean };

const BESIDE: Env = [
  { name: 'HF_TOKEN', valueFrom: { secretKeyRef: { name: 'hf', key: 'token' } } },
  { name: 'HF_HOME', value: '/cache' },
];

const write = (word: string): string => {
  if (/^[\w@%+:,./=-]+$/.test(word)) return word;
  return word.includes("'") ? `"${word.replaceAll(/["\\$`]/g, '\\$&')}"` : `'${word}'`;
};

export const textSpecs = (made: fc.Arbitrary<Made>): fc.Arbitrary<TextSpec> =>
  fc
    .record({
      made: made.filter(({ isComputed }) => !isComputed),
      before: fc.subarray([...BESIDE]),
      gap: fc.constantFrom(' ', '  ', ' \\\n'),
      args: fc.constantFrom<string[] | undefined>(undefined, ['--model', 'm'], ['--uvicorn-log-level=info']),
      isReferred: fc.constantFrom(false, false, false, true),
    })
    .map(({ made: one, before, gap, args, isReferred }): TextSpec => {
      const { engine, flag, to, steps, isLiteral, isComputed, groups } = one;
      const name = isReferred ? 'EXTRA_ARGS' : 'VLLM_ADDITIONAL_ARGS';
      const env = [...before, { name, value: groups.flat().map(write).join(gap) }, { name: 'LAST', value: '1' }];
      const command = ['sh', '-c', `exec vllm serve m $${name}`];
      const container = isReferred ? { command, env } : { ...(args && { args: [...args] }), env };
      const common = { engine, flag, to, steps, isLiteral: isLiteral && !isReferred, isComputed };
      return { ...common, container, at: before.length, isReferred };
    });

/** The text as a shell would split it; all else is what it was. A text that a script names is never changed, only looked into. */
export function checkText({ container, steps, at, isReferred }: TextSpec, after: unknown): void {
  const now = after as Spec['container'];
  if (isReferred) {
    expect(steps.map(({ kind }) => kind)).toEqual(['add']);
    expect({ ...now, command: container.command }).toEqual(container);
    checkScript(container.command?.[2] ?? '', now.command?.[2] ?? '', { steps, from: 0 });
    return;
  }
  const [old, text] = [container, now].map(({ env = [] }) => env[at]?.value ?? '');
  expect({ ...now, env: now.env?.with(at, { name: 'VLLM_ADDITIONAL_ARGS', value: old ?? '' }) }).toEqual(container);
  // The gap behind a first word that goes stays.
  const isFirstGone = steps.some((step) => step.kind === 'drop' && step.at === 0);
  checkScript(`vllm serve ${old}`, `vllm serve${isFirstGone ? '' : ' '}${text}`, { steps, from: 2 });
}
