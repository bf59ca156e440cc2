import { createReader } from './reader.ts';

/** SGLang. Its "GB" are GiB; a rank prints its own lines, of which the first of each kind is read. */
export const sglangReader = createReader({
  engine: 'sglang',
  name: /(?:^|[/._-])sglang(?:$|[/._-])/i,
  image: /sglang/i,
  warmsUpByRequest: true,
  // The pool is sized by what the load left free (model_executor/model_runner.py, profile_max_num_token).
  trialRun: false,
  others: { 'load-begin': ['vllm'], 'graphs-begin': ['vllm'], served: ['uvicorn'] },
});
