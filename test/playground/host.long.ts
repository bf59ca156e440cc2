import { HOST } from '../../src/playground/scenarios/host.ts';
import { describeScenarios } from './describe-scenarios.ts';

describeScenarios(HOST);
