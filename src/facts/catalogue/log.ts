import type { FactEntry } from '../../model/fact.ts';
import { Cause } from '../../model/taxonomy.ts';
import { LOG } from '../needs.ts';
import { LOG_GUESSES } from './log-guess.ts';

const ALL = 'a line that names the memory (the whole log, the pod status or the kernel log)';

/** What the log says, weighed, and what all sources together say. */
export const LOG_FACTS: readonly FactEntry[] = [
  {
    id: 'evidence.plane',
    unit: 'choice',
    values: ['gpu', 'host', 'none'],
    says: 'what the strongest evidence is about',
    needs: ALL,
  },
  {
    id: 'evidence.cause',
    unit: 'choice',
    values: [...Cause.options, 'unnamed'],
    says: 'cause that the strongest evidence names',
    needs: ALL,
  },
  { id: 'evidence.meaning', unit: 'text', says: 'what the line that decides means', needs: ALL },
  {
    id: 'log.hint-plane',
    unit: 'choice',
    values: ['gpu', 'host', 'none', 'nothing'],
    says: 'what some line hints at',
    needs: LOG,
  },
  {
    id: 'log.hint-cause',
    unit: 'choice',
    values: [...Cause.options],
    says: 'cause that some line hints at',
    needs: LOG,
  },
  {
    id: 'log.words-plane',
    unit: 'choice',
    values: ['gpu', 'host', 'nothing'],
    says: 'memory that the last lines or the notes plainly call short',
    needs: LOG,
  },
  ...LOG_GUESSES,
  { id: 'log.exception', unit: 'text', says: 'first error at the end of the log that is not about memory', needs: LOG },
  {
    id: 'log.exception-kind',
    unit: 'choice',
    values: ['config', 'setting', 'communication', 'driver', 'gpu-fault', 'other', 'nothing'],
    says: 'what that error is about, by its type and words',
    needs: LOG,
  },
  {
    id: 'log.exception-ended',
    unit: 'yes-no',
    says: 'that error says what it is about, no line speaks of memory, and nothing was served after it',
    needs: LOG,
  },
  { id: 'log.child-killed', unit: 'yes-no', says: 'a child process was ended by signal 9', needs: LOG },
  {
    id: 'log.killed-alone',
    unit: 'yes-no',
    says: 'its shell saw it killed, and nothing else complained or told it to stop',
    needs: LOG,
  },
  { id: 'log.terminated', unit: 'yes-no', says: 'the process was told to stop from outside (SIGTERM)', needs: LOG },
  {
    id: 'log.side-pool-full',
    unit: 'yes-no',
    says: 'a cache or a pool of buffers beside the pool of the engine is full, and what it has no room for goes on without',
    needs: LOG,
  },
  {
    id: 'log.error-seen',
    unit: 'yes-no',
    says: 'the log holds an error, a traceback or the death of an engine',
    saysNot: 'the log holds no error',
    needs: LOG,
  },
  {
    id: 'log.layer',
    unit: 'choice',
    values: ['mlp', 'attention', 'indexer', 'history', 'adapter', 'nothing'],
    says: 'kind of layer that was being computed',
    needs: LOG,
  },
  {
    id: 'log.stage',
    unit: 'choice',
    values: [
      'device',
      'wake',
      'load',
      'profile',
      'buffers',
      'kv-cache',
      'graph-capture',
      'execute',
      'sampler',
      'encoder',
      'nothing',
    ],
    says: 'step in which it failed',
    needs: LOG,
  },
  {
    id: 'log.version-misfit',
    unit: 'text',
    says: 'why the deciding line and the version of the engine do not go together',
    onlyWhere: 'they do not',
    needs: LOG,
  },
];
