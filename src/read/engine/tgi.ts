import { createReader } from './reader.ts';

/** Text Generation Inference: launcher, shards and router print into one log. */
export const tgiReader = createReader({
  engine: 'tgi',
  name: /text[-_]generation[-_](?:inference|launcher|server|router)|(?:^|[/._-])tgi(?:$|[/._-])/i,
  image: /text-generation-inference|(?:^|[/._-])tgi(?:$|[:/._-])/i,
  // The warm-up prefills the largest batch before the pool is sized (models/flash_causal_lm.py).
  trialRun: true,
  // The shard prints blocks and their size before the router says how many tokens it will fill them with. That comes once
  // the warm-up of all shards has come back, their graphs captured (router/src/lib.rs): what follows takes no memory.
  tokensOfBlock: ({ figures }) => figures.blockTokens?.value,
});
