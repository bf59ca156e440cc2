import type { Fact } from '../../../model/fact.ts';
import { known } from '../../pod/finding.ts';
import type { Evidence } from '../evidence.ts';
import { lastLine, tailLines } from '../weigh/tail-lines.ts';
import { lineOfFailure } from '../weigh/weigh.ts';

// How servers name the call in their frames and in their access log: xinference api/restful_api.py, vLLM
// entrypoints/pooling, infinity_emb, text-embeddings-inference; the path answered with an error is the one that failed.
const EMBEDS =
  /, in (?:create_(?:embeddings?|rerank|score)|(?:do_)?rerank|embed(?:_documents|_query)?|encode_sentences)\b|"POST \/(?:v\d\/)?(?:embeddings?|embed|rerank|score|pooling)\b[^"\n]{0,40}" 5\d\d\b/;
// A traceback, and what the server says of it.
const NEAR = 60;

/** Whether the call that failed was one for embeddings or a ranking, by the frames and the answer around the failure. */
export function readEmbeds({ weighing, log }: Pick<Evidence, 'weighing' | 'log'>): Fact | undefined {
  const last = lastLine(log.main);
  const at = lineOfFailure(weighing, log.main);
  if (last === undefined || log.main === undefined || at === undefined) return undefined;
  const named = tailLines(log.main).find(({ line, text }) => Math.abs(line - at) <= NEAR && EMBEDS.test(text));
  return known(named !== undefined, named ?? last);
}
