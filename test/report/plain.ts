import { PLAIN } from '../../src/playbook/explain.ts';

/** Terminal drawing without colour, wide enough for a table. */
export const AS_TEXT = { width: 110, paint: PLAIN, unicode: true };
