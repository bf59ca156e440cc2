import type { Phrase } from '../../model/phrase.ts';

/** Phrases ready to scan with: compile once, share between scanners. */
export type CompiledPhrases = {
  readonly byId: ReadonlyMap<string, Phrase>;
  readonly gateLiterals: readonly string[];
};

/** Compiles the phrases of the given places (log and kernel by default). */
export function compilePhrases(
  phrases: readonly Phrase[],
  _where: readonly Phrase['where'][] = ['log', 'kernel'],
): CompiledPhrases {
  return { byId: new Map(phrases.map((p) => [p.id, p])), gateLiterals: [] };
}
