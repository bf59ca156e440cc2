import { SCENARIOS } from '../../src/playground/scenarios/scenarios.ts';
import { describeScenarios } from './describe-scenarios.ts';

describeScenarios(SCENARIOS);
