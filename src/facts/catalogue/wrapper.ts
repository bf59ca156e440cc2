import type { FactEntry } from '../../model/fact.ts';
import { LOG, STATUS } from '../needs.ts';

const AROUND = `${STATUS}, for what runs the engine`;

/** The platform around the engine (KServe, KAITO, Ray Serve and others). */
export const WRAPPER_FACTS: readonly FactEntry[] = [
  { id: 'wrapper.version', unit: 'text', says: 'release of the platform around the engine', needs: LOG },
  {
    id: 'wrapper.arguments-at',
    unit: 'text',
    says: 'where the platform around the engine keeps its arguments',
    needs: AROUND,
  },
];
