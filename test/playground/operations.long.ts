import { BOTH } from '../../src/playground/scenarios/both.ts';
import { OPERATIONS } from '../../src/playground/scenarios/operations.ts';
import { describeScenarios } from './describe-scenarios.ts';

describeScenarios([...BOTH, ...OPERATIONS]);
