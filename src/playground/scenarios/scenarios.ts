import { BOTH } from './both.ts';
import { GPU_SERVING } from './gpu-serving.ts';
import { GPU_STARTUP } from './gpu-startup.ts';
import { HOST } from './host.ts';
import { OPERATIONS } from './operations.ts';
import type { Scenario } from './scenario.ts';

/** All scenarios, the first one for those who name none. */
export const SCENARIOS: readonly Scenario[] = [...GPU_SERVING, ...GPU_STARTUP, ...HOST, ...BOTH, ...OPERATIONS];
