import { GPU_SERVING } from '../../src/playground/scenarios/gpu-serving.ts';
import { describeScenarios } from './describe-scenarios.ts';

describeScenarios(GPU_SERVING);
