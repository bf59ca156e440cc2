import { SCENARIOS } from '../../src/playground/scenarios/scenarios.ts';
import { describeScenarios } from './describe-scenarios.ts';

// One of each ending; the long suite plays all.
const QUICK = ['vllm-kv-room', 'gpu-then-ram', 'failed-verification'];

describeScenarios(SCENARIOS.filter(({ name }) => QUICK.includes(name)));
