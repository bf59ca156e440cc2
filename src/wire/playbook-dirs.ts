import { fileURLToPath } from 'node:url';

// One level below the package root, in the source as in the bundle.
const SHIPPED = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? '../../playbooks' : '../playbooks', import.meta.url),
);

/** The shipped playbook folder, then a team's own ones. */
export function playbookDirs(own: readonly string[]): readonly string[] {
  return [SHIPPED, ...own];
}
