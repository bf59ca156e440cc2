import { GPU_STARTUP } from '../../src/playground/scenarios/gpu-startup.ts';
import { describeScenarios } from './describe-scenarios.ts';

describeScenarios(GPU_STARTUP);
