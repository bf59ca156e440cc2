import { z } from 'zod';

/** Actions that a playbook may offer. Their parameter schemas stand in actions/catalogue.ts. */
export const ActionId = z.enum([
  'scale-to-zero',
  'set-args',
  'scale-up',
  'stop-bleed',
  'set-allocator',
  'raise-ram',
  'restart-drained',
  'roll-back',
  'replace-pod',
  'advise',
]);
export type ActionId = z.infer<typeof ActionId>;
