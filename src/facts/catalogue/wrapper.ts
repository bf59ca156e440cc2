import type { FactEntry } from '../../model/fact.ts';
import { LOG, STATUS } from './needs.ts';

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
  {
    id: 'wrapper.restarts',
    unit: 'text',
    says: 'who makes the pods anew, and puts back what others change',
    needs: AROUND,
  },
  {
    id: 'wrapper.sets',
    unit: 'text',
    says: 'what the platform around the engine sets where nobody sets anything else',
    needs: AROUND,
  },
  {
    id: 'ram.offload-by-default',
    unit: 'yes-no',
    says: 'the platform around the engine keeps KV blocks in host memory unless told otherwise (KAITO from 0.7)',
    onlyWhere: 'it does',
    needs: AROUND,
  },
];
