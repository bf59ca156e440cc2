import { SCENARIOS } from '../../src/playground/scenarios/scenarios.ts';
import { describeScenarios } from './describe-scenarios.ts';

// A short one that is applied, verified and rolled back; the long suites play all.
describeScenarios(SCENARIOS.filter(({ name }) => name === 'failed-verification'));
