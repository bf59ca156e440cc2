import type { FactEntry } from '../../model/fact.ts';
import { LOG, METRICS, STATUS } from './needs.ts';

const DUMP = 'the scheduler dump that the engine prints when it dies';
const SERVED = 'the log from its start with its access lines, or counters of metrics';
const GATEWAY = `${METRICS}, or the log of a gateway with input_tokens= and output_tokens=`;
const LIVES = `${STATUS} of a pod that died more than once, taken while the times of two deaths stand in it`;

/** What came before the failure: one that was outlived, requests, the step that failed, earlier deaths. */
export const BEFORE_FACTS: readonly FactEntry[] = [
  {
    id: 'outlived.memory',
    unit: 'choice',
    values: ['gpu', 'host'],
    says: 'memory that failed before, below which the same engine is seen at work',
    needs: LOG,
  },
  { id: 'outlived.at', unit: 'time', says: 'when that was, the last time', needs: LOG },
  { id: 'outlived.times', unit: 'count', says: 'how often that was, by the log', needs: LOG },
  {
    id: 'requests.served',
    unit: 'choice',
    values: ['none', 'one', 'more'],
    says: 'requests that it had answered before it failed',
    needs: SERVED,
  },
  { id: 'requests.prompt-p95', unit: 'tokens', says: '95 % of the prompts before were no longer than', needs: GATEWAY },
  { id: 'requests.prompt-p99', unit: 'tokens', says: '99 % of the prompts before were no longer than', needs: METRICS },
  {
    id: 'requests.prompt-seen',
    unit: 'tokens',
    says: 'length of the prompt that it took up last before it failed, or that a note names',
    needs: 'a log or a note that names the length of prompts',
  },
  { id: 'requests.output-p95', unit: 'tokens', says: '95 % of the answers before were no longer than', needs: GATEWAY },
  { id: 'step.scheduled-tokens', unit: 'tokens', says: 'tokens in the forward pass that failed', needs: DUMP },
  { id: 'step.requests', unit: 'count', says: 'requests in the forward pass that failed', needs: DUMP },
  {
    id: 'step.share-of-pass',
    unit: 'share',
    says: 'those tokens against the most that a pass may hold',
    needs: `${DUMP}, and the bound of a step among the arguments`,
  },
  { id: 'step.pool-share', unit: 'share', says: 'how full the KV pool was as that pass failed', needs: DUMP },
  {
    id: 'step.asks-more',
    unit: 'yes-no',
    says: 'that pass held what the trial before the start leaves out: scores of prompt tokens, images, video or audio',
    needs: DUMP,
  },
  { id: 'step.longest-prompt', unit: 'tokens', says: 'longest prompt that came in with that pass', needs: DUMP },
  { id: 'step.longest-request', unit: 'text', says: 'id of the request with that prompt', needs: DUMP },
  {
    id: 'step.against-usual',
    unit: 'ratio',
    says: 'that prompt against 95 % of those before it',
    needs: `${DUMP}, and ${METRICS}`,
  },
  {
    id: 'step.bytes-per-token',
    unit: 'bytes',
    says: 'what was asked for against the tokens of that pass, or of the largest there can be',
    needs: `the OOM line with its figures, and ${DUMP} or the bound of a step among the arguments`,
  },
  {
    id: 'requests.offered',
    unit: 'count',
    says: 'requests that a load generator sends at once',
    needs: 'its command line beside the arguments',
  },
  {
    id: 'requests.embeds',
    unit: 'yes-no',
    says: 'the call that failed was one for embeddings or a ranking',
    needs: LOG,
  },
  {
    id: 'death.steady-age',
    unit: 'yes-no',
    says: 'it dies again and again at nearly the same age',
    needs: LIVES,
  },
  { id: 'death.usual-age', unit: 'duration', says: 'age at which it dies, on average', needs: LIVES },
  {
    id: 'death.age-spread',
    unit: 'duration',
    says: 'by how much the ages at death differ from their middle at most',
    needs: LIVES,
  },
];
