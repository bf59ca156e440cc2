import { tableAt } from './table-paths.ts';

/** What the files of a playbook directory are, by their path below it. */
export const PLAYBOOK_PATHS = {
  signatures: /^(?:engines\/[^/]+\/signatures[^/]*|platform\/[^/]+)\.ya?ml$/,
  profiles: /^engines\/[^/]+\/profiles\.ya?ml$/,
  playbook: /^oom\/(?:playbook|(?:tree|thresholds|findings|remedies|myths)(?:\/.+)?)(?<!\.cases)\.ya?ml$/,
  cases: /^oom\/.+\.cases\.ya?ml$/,
} as const;

/** Whether anything reads a file of a playbook directory. */
export function isReadBy(path: string): boolean {
  return Object.values(PLAYBOOK_PATHS).some((pattern) => pattern.test(path)) || tableAt(path) !== undefined;
}
