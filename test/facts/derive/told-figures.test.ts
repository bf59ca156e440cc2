import { describe, expect, it } from 'vitest';
import { diagnoseSource } from '../../../src/app/diagnose.ts';
import { aSnapshot, COMPILED_PHRASES, judge } from '../../playbooks/shipped.ts';

type Files = Readonly<Record<string, string>>;

const diagnosed = (files: Files) => diagnoseSource(aSnapshot(files), { phrases: COMPILED_PHRASES, judge });

async function factOf(files: Files, id: string): Promise<unknown> {
  const fact = (await diagnosed(files)).facts.get(id);
  return fact?.kind === 'known' ? fact.value : undefined;
}

const logged = (...lines: readonly string[]): Files => ({ 'previous.log': `${lines.join('\n')}\n` });

describe('an error that names the fraction', () => {
  const WARM_UP = 'RuntimeError: CUDA out of memory occurred when warming up sampler with 1024';

  it.each([
    [
      'in its line',
      [`${WARM_UP} dummy requests. Please try lowering \`max_num_seqs\` or \`gpu_memory_utilization\`.`],
      true,
    ],
    [
      'in lines that a terminal wrapped',
      [WARM_UP, 'dummy requests. Please try lowering `max_num_seqs` or', '`gpu_memory_utilization`.'],
      true,
    ],
    ['in none', [`${WARM_UP} dummy requests.`], undefined],
    ['of its settings alone', [`${WARM_UP} dummy requests.`, 'INFO gpu_memory_utilization=0.9'], undefined],
    [
      'too far below',
      [WARM_UP, 'dummy requests.', 'again', 'Please try lowering `gpu_memory_utilization`.'],
      undefined,
    ],
  ])('%s', async (_where, lines, expected) => {
    expect(await factOf(logged(...lines), 'log.names-fraction')).toBe(expected);
  });
});
