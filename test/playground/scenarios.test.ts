import { SCENARIOS } from '../../src/playground/scenarios/scenarios.ts';
import { describeScenarios } from './describe-scenarios.ts';

// One that ends well and one that is rolled back; the long suites play all.
const QUICK = ['vllm-kv-room', 'failed-verification'];

describeScenarios(SCENARIOS.filter(({ name }) => QUICK.includes(name)));
