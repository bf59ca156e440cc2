import type { Group } from '../draft.ts';

// systemd/systemd src/core/unit.c; names as in systemd.unit(5).
// What runs the containers of a machine: a kill among those is none of a service.
// `ollama.service: Consumed 32.964s CPU time, 123.9G memory peak.` (src/core/unit.c, unit_log_resources; powers of 1024).

/** The service of systemd that was killed for want of RAM, and the most that it held; known only where there is no container. */
export function deriveService(): Group {
  return {};
}
