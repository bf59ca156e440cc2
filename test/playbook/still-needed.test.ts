import { describe, expect, it } from 'vitest';
import type { Citation } from '../../src/model/citation.ts';
import type { Fact, FactEntry, Facts } from '../../src/model/fact.ts';
import { stillNeeded } from '../../src/playbook/still-needed.ts';

const ARGS = 'the engine arguments (pod.json, args.txt or the start of the log)';
const STATUS = 'the pod status (pod.json or describe.txt)';
const LOG = 'the whole previous log of the container that died';
const DUMP = 'the scheduler dump that the engine prints when it dies';
const METRICS = 'metrics of the minutes before the death (Prometheus, or metrics.txt)';
const LINE: Citation = { kind: 'line', file: 'previous.log', line: 15, text: 'Dumping scheduler output' };
const ARGUMENT: Citation = { kind: 'field', file: 'pod.json', path: '/spec/containers/0/args/1', text: '"8192"' };

const known = (value: string | number, from: Citation = LINE): Fact => ({ kind: 'known', value, from: [from] });
const told: Facts = new Map([['engine.max-model-len', known(8192, ARGUMENT)]]);
const dumped: Facts = new Map([['step.scheduled-tokens', known(2)]]);
const ofV1: Facts = new Map([...told, ['engine.generation', known('V1')]]);
const limited: Facts = new Map([...told, ['ram.limit', known(2 ** 30)]]);
const none: Facts = new Map();

const lacking = (needs: string, held?: string[], entry: Partial<FactEntry> = {}) => ({
  entry: { id: 'x', unit: 'bytes', says: 'memory left', needs, ...entry } as FactEntry,
  fact: { kind: 'unknown', reason: 'not-in-snapshot', detail: '', ...(held && { held }) } as const,
});

describe('what is missing', () => {
  it.each([
    [ARGS, none, ARGS],
    [`${DUMP}, and ${METRICS}`, dumped, METRICS],
    [`${DUMP}, and ${METRICS}`, told, `${DUMP}, and ${METRICS}`],
    [`${ARGS}, and the version of vLLM (for its swap space)`, told, 'the version of vLLM (for its swap space)'],
    [`the OOM line, and ${DUMP} or the bound of a step`, dumped, `the OOM line, and ${DUMP} or the bound of a step`],
  ])('is never what the evidence holds: %s', (needs, there, says) => {
    expect(stillNeeded(lacking(needs), there)).toEqual({ needs: says });
  });

  it.each([
    { needs: STATUS, held: ['describe.txt'], says: STATUS, of: 'another', file: ['args.txt'] },
    { needs: LOG, held: ['previous.log'], says: LOG, of: 'no', file: undefined },
    // Where one of two would tell, the other is still to be had.
    {
      needs: `${STATUS}, or a log with its name`,
      held: [],
      says: `${STATUS}, or a log with its name`,
      of: 'that',
      file: ['pod.json'],
    },
  ])('is what $needs stands for where $of file is there', ({ needs, says, file }) => {
    expect(stillNeeded(lacking(needs, file), none)).toEqual({ needs: says });
  });
});

describe('what is there and does not show it', () => {
  it.each([
    { needs: ARGS, there: told, says: 'the engine arguments are there, but do not show the memory left' },
    { needs: DUMP, there: dumped, says: 'the scheduler dump is there, but does not show the memory left' },
    {
      needs: 'the engine arguments and the memory limit',
      there: limited,
      says: 'the engine arguments and the memory limit are there, but do not show the memory left',
    },
    {
      needs: `${ARGS}, and the version of vLLM (for its swap space)`,
      there: ofV1,
      says: 'the engine arguments are there, but do not show the memory left',
    },
    { needs: STATUS, held: ['describe.txt'], says: 'describe.txt is there, but does not show the memory left' },
    { needs: LOG, held: ['vllm.previous.log'], says: 'vllm.previous.log is there, but does not show the memory left' },
    {
      needs: `${STATUS}, and ${LOG}`,
      held: ['pod.json', 'previous.log'],
      says: 'pod.json and previous.log are there, but do not show the memory left',
    },
  ])('is said to be there: $needs', ({ needs, there = none, held, says }) => {
    expect(stillNeeded(lacking(needs, held), there)).toEqual({ needs: says, held: true });
  });

  it.each([
    ['yes-no', 'a child process was ended', 'whether a child process was ended'],
    ['bytes', 'free on the GPU at that moment', 'what is free on the GPU at that moment'],
    ['text', 'what the engine was doing', 'what the engine was doing'],
    ['count', 'exit code', 'the exit code'],
  ] as const)('names a fact of %s in a sentence', (unit, says, words) => {
    expect(stillNeeded(lacking(STATUS, ['pod.json'], { unit, says }), none).needs).toBe(
      `pod.json is there, but does not show ${words}`,
    );
  });
});
