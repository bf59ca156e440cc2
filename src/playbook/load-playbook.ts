import { type Compiled, compilePlaybook } from './compile.ts';
import type { Catalogues } from './compiled.ts';
import { mergePlaybookFiles, type PlaybookSource } from './merge.ts';

/** Merges and compiles; throws only for a threshold of the configuration that there is none of. */
export function loadPlaybook(sources: readonly PlaybookSource[], catalogues: Catalogues): Compiled {
  const merged = mergePlaybookFiles(sources);
  if (merged.kind === 'missing') return { kind: 'bad', problems: merged.problems };
  return compilePlaybook(merged.files.parts, catalogues);
}
