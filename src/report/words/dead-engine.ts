import type { Facts, KnownFact } from '../../model/fact.ts';
import { capital } from '../../model/format-value.ts';
import type { Diagnosis } from '../../model/verdict.ts';
import { knownValue } from './report-input.ts';

import { atMinute, causeWords, gpuOomWord } from './verdict-words.ts';

/** What shows that the engine died and its pod is still Ready; undefined where that is not so. */
function deadEngine(facts: Facts): KnownFact | undefined {
  const fact = facts.get('instance.state');
  return fact?.kind === 'known' && fact.value === 'engine-dead' ? fact : undefined;
}

export function isEngineDead(facts: Facts): boolean {
  return deadEngine(facts) !== undefined;
}

/** `Engine dead, pod still Ready: llm/vllm-0 answers 500 and still gets traffic`; undefined where that is not so. */
export function deadEngineHeadline(facts: Facts, place: string): string | undefined {
  const dead = deadEngine(facts);
  if (dead === undefined) return undefined;
  const code = codeIn(dead, /"POST \S+ HTTP\/[\d.]+" (50\d)\b/);
  return `Engine dead, pod still Ready: ${place}${code === undefined ? '' : ` answers ${code} and`} still gets traffic`;
}

/** `CUDA OOM at 09:12 UTC stopped the engine core; /health still returns 200.`; undefined where no engine is dead. */
export function deadEngineCause({ verdict, headline }: Pick<Diagnosis, 'verdict' | 'headline'>, facts: Facts) {
  const dead = deadEngine(facts);
  if (dead === undefined) return undefined;
  const { plane } = verdict;
  const at = dead.at === undefined ? '' : atMinute(dead.at);
  const engine = knownValue(facts, 'engine.name') === 'vllm' ? 'the engine core' : 'the engine';
  const path = codeIn(dead, /"(?:GET|HEAD) (\S+) HTTP\/[\d.]+" 200\b/);
  const probe = path === undefined ? 'its pod is still Ready' : `${path} still returns 200`;
  if (plane === 'none' || plane === 'unknown') {
    const why = plane === 'none' ? `: ${headline ?? capital(causeWords(verdict.cause))}` : '';
    return `${capital(engine)} died${at}${why}; ${probe}.`;
  }
  return `${plane === 'host' ? 'RAM OOM' : gpuOomWord(verdict)}${at} stopped ${engine}; ${probe}.`;
}

function codeIn({ from }: KnownFact, pattern: RegExp): string | undefined {
  for (const one of from) {
    const found = one.kind === 'line' ? pattern.exec(one.text)?.[1] : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}
