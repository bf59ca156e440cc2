import type { ActRequest } from '../app/acting/commands/permit.ts';
import { askChanges, type ChangeCommandsDeps } from '../app/handover/change-commands.ts';
import { type CheckDeps, checkChanges } from '../app/handover/check-changes.ts';
import type { Clock } from '../app/ports.ts';
import { type Repeated, repeat } from './repeat.ts';

const EVERY_MS = 60_000;

/** How temporary changes are followed up. */
export type ChangeWatch = {
  changes(rest: string, request: ActRequest): Promise<void>;
  begin(): Repeated;
};

export function wireChanges(deps: CheckDeps & ChangeCommandsDeps & { readonly clock: Clock }): ChangeWatch {
  return {
    changes: (rest, request) => askChanges(deps, rest, request),
    begin: () => repeat(EVERY_MS, deps.clock, (signal) => checkChanges(deps, signal)),
  };
}
