import type { FactEntry } from '../../model/fact.ts';
import { METRICS } from '../needs.ts';

const DUMP = 'the scheduler dump that the engine prints when it dies';
const GATEWAY = `${METRICS}, or the log of a gateway with input_tokens= and output_tokens=`;

/** What came before the failure: one that was outlived, requests, the step that failed, earlier deaths. */
export const BEFORE_FACTS: readonly FactEntry[] = [
  { id: 'requests.prompt-p95', unit: 'tokens', says: '95 % of the prompts before were no longer than', needs: GATEWAY },
  { id: 'step.scheduled-tokens', unit: 'tokens', says: 'tokens in the forward pass that failed', needs: DUMP },
  {
    id: 'requests.offered',
    unit: 'count',
    says: 'requests that a load generator sends at once',
    needs: 'its command line beside the arguments',
  },
];
