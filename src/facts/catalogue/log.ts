import type { FactEntry } from '../../model/fact.ts';
import { Cause } from '../../model/taxonomy.ts';
import { LOG } from './needs.ts';

const ALL = 'the log, the pod status or the kernel log';

/** What the log says, weighed, and what all sources together say. */
export const LOG_FACTS: readonly FactEntry[] = [
  {
    id: 'evidence.plane',
    unit: 'choice',
    values: ['gpu', 'host', 'none'],
    says: 'memory that the weightiest evidence names',
    needs: ALL,
  },
  {
    id: 'evidence.weight',
    unit: 'choice',
    values: ['proof', 'strong'],
    says: 'weight of that evidence: proof settles the plane, strong settles it unless a proof says otherwise',
    needs: ALL,
  },
  {
    id: 'evidence.cause',
    unit: 'choice',
    values: [...Cause.options, 'unnamed'],
    says: 'cause that this evidence names by itself',
    needs: ALL,
  },
  {
    id: 'log.first-cause',
    unit: 'choice',
    values: [...Cause.options],
    says: 'cause named by the first decisive line of the log',
    needs: LOG,
  },
  {
    id: 'log.first-plane',
    unit: 'choice',
    values: ['gpu', 'host', 'none'],
    says: 'plane of the first decisive line of the log',
    needs: LOG,
  },
  {
    id: 'log.looks-like',
    unit: 'choice',
    values: [...Cause.options],
    says: 'cause of the first line that looks like a memory failure and is something else',
    needs: LOG,
  },
  {
    id: 'log.hint-plane',
    unit: 'choice',
    values: ['gpu', 'host', 'none', 'nothing'],
    says: 'plane of the first line that points to one without deciding it',
    needs: LOG,
  },
  {
    id: 'log.hint-cause',
    unit: 'choice',
    values: [...Cause.options],
    says: 'cause of the first line that points to one without deciding it',
    needs: LOG,
  },
  {
    id: 'log.words-plane',
    unit: 'choice',
    values: ['gpu', 'host', 'nothing'],
    says: 'memory of which the last lines or the notes say in plain words that it was short',
    needs: LOG,
  },
  {
    id: 'log.likely-plane',
    unit: 'choice',
    values: ['gpu', 'host', 'none', 'nothing'],
    says: 'plane that the vocabulary of the last lines points to, where nothing better is known',
    needs: LOG,
  },
  {
    id: 'log.likely-gpu-cause',
    unit: 'choice',
    values: Cause.options.filter((cause) => cause.startsWith('gpu.')),
    says: 'cause that the same vocabulary points to, if it was GPU memory',
    needs: LOG,
  },
  {
    id: 'log.likely-host-cause',
    unit: 'choice',
    values: Cause.options.filter((cause) => cause.startsWith('host.')),
    says: 'cause that the same vocabulary points to, if it was RAM',
    needs: LOG,
  },
  {
    id: 'log.likely-none-cause',
    unit: 'choice',
    values: Cause.options.filter((cause) => cause.startsWith('none.')),
    says: 'cause that the same vocabulary points to, if it was no memory',
    needs: LOG,
  },
  {
    id: 'notes.subject',
    unit: 'choice',
    values: ['gpu', 'host'],
    says: 'memory that all figures are about that people noted beside the log',
    needs: 'notes or figures beside the log (metrics.txt, kernel.txt)',
  },
  {
    id: 'log.exception',
    unit: 'text',
    says: 'first error in what the log ends with, other than memory and echoes of a death',
    needs: LOG,
  },
  {
    id: 'log.exception-kind',
    unit: 'choice',
    values: ['config', 'communication', 'driver', 'gpu-fault', 'other', 'nothing'],
    says: 'what that error is about, by its type and words',
    needs: LOG,
  },
  {
    id: 'log.exception-ended',
    unit: 'yes-no',
    says: 'that error says what it is about, no line speaks of memory, and nothing was served after it',
    needs: LOG,
  },
  {
    id: 'log.ends-in-nccl',
    unit: 'yes-no',
    says: 'the last line is one of NCCL about setting up its connections',
    needs: LOG,
  },
  {
    id: 'log.ends-in-load',
    unit: 'yes-no',
    says: 'the last line tells how far the load of the weights has come, short of its end',
    needs: LOG,
  },
  { id: 'log.child-killed', unit: 'yes-no', says: 'a child process was ended by signal 9', needs: LOG },
  { id: 'log.terminated', unit: 'yes-no', says: 'the process was told to stop from outside (SIGTERM)', needs: LOG },
  { id: 'log.ends-in-silence', unit: 'yes-no', says: 'the log ends without any error', needs: LOG },
  {
    id: 'log.error-seen',
    unit: 'yes-no',
    says: 'the log holds an error, a traceback or the death of an engine',
    needs: LOG,
  },
  {
    id: 'log.stage',
    unit: 'choice',
    values: ['device', 'load', 'profile', 'kv-cache', 'graph-capture', 'execute', 'sampler', 'encoder', 'nothing'],
    says: 'stage named by the innermost engine frame above the failure',
    needs: LOG,
  },
];
