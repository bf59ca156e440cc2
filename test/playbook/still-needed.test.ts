import { describe, expect, it } from 'vitest';
import type { Citation } from '../../src/model/citation.ts';
import type { Fact, Facts } from '../../src/model/fact.ts';
import { stillNeeded } from '../../src/playbook/still-needed.ts';

const ARGS = 'the engine arguments (pod.json, args.txt or the start of the log)';
const DUMP = 'the scheduler dump that the engine prints when it dies';
const METRICS = 'metrics of the minutes before the death (Prometheus, or metrics.txt)';
const LINE: Citation = { kind: 'line', file: 'previous.log', line: 15, text: 'Dumping scheduler output' };
const ARGUMENT: Citation = { kind: 'field', file: 'pod.json', path: '/spec/containers/0/args/1', text: '"8192"' };

const known = (value: string | number, from: Citation = LINE): Fact => ({ kind: 'known', value, from: [from] });
const told: Facts = new Map([['engine.max-model-len', known(8192, ARGUMENT)]]);
const dumped: Facts = new Map([['step.requests', known(2)]]);
const ofV1: Facts = new Map([...told, ['engine.generation', known('V1')]]);
const limited: Facts = new Map([...told, ['ram.limit', known(2 ** 30)]]);

describe('what is missing', () => {
  it.each([
    { needs: ARGS, there: new Map(), says: ARGS },
    { needs: ARGS, there: told, says: 'what the engine arguments in the evidence can not tell' },
    { needs: DUMP, there: dumped, says: 'what the scheduler dump in the evidence can not tell' },
    { needs: `${DUMP}, and ${METRICS}`, there: dumped, says: METRICS },
    { needs: `${DUMP}, and ${METRICS}`, there: told, says: `${DUMP}, and ${METRICS}` },
    {
      needs: 'the engine arguments and the memory limit',
      there: limited,
      says: 'what the engine arguments and the memory limit in the evidence can not tell',
    },
    {
      needs: `${ARGS}, and the version of vLLM (for its swap space)`,
      there: told,
      says: 'the version of vLLM (for its swap space)',
    },
    {
      needs: `${ARGS}, and the version of vLLM (for its swap space)`,
      there: ofV1,
      says: 'what the engine arguments in the evidence can not tell',
    },
    {
      needs: `the OOM line, and ${DUMP} or the bound of a step`,
      there: dumped,
      says: `the OOM line, and ${DUMP} or the bound of a step`,
    },
  ])('is never what the evidence holds: $needs', ({ needs, there, says }) => {
    expect(stillNeeded(needs, there)).toBe(says);
  });
});
