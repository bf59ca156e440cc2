import type { FactEntry } from '../../model/fact.ts';
import { Cause } from '../../model/taxonomy.ts';
import { LOG } from '../needs.ts';

/** What the last lines and the notes of people suggest where no line decides. */
export const LOG_GUESSES: readonly FactEntry[] = [
  {
    id: 'log.likely-plane',
    unit: 'choice',
    values: ['gpu', 'host', 'none', 'nothing'],
    says: 'memory that the words of the last lines or of remarks point to',
    needs: LOG,
  },
  {
    id: 'log.cut-plane',
    unit: 'choice',
    values: ['gpu', 'host', 'nothing'],
    says: 'memory that the last line was about to name where it breaks off',
    needs: LOG,
  },
  {
    id: 'log.likely-gpu-cause',
    unit: 'choice',
    values: Cause.options.filter((cause) => cause.startsWith('gpu.')),
    says: 'cause that these words point to, if it was GPU memory',
    needs: LOG,
  },
  {
    id: 'log.likely-host-cause',
    unit: 'choice',
    values: Cause.options.filter((cause) => cause.startsWith('host.')),
    says: 'cause that these words point to, if it was RAM',
    needs: LOG,
  },
  {
    id: 'log.likely-none-cause',
    unit: 'choice',
    values: Cause.options.filter((cause) => cause.startsWith('none.')),
    says: 'cause that these words point to, if it was no memory',
    needs: LOG,
  },
];
