import type { Citation } from '../../model/citation.ts';
import { argumentsAt, kaitoRelease } from '../../read/engine/wrappers.ts';
import { fact, type Group } from '../draft.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { citeHit } from '../evidence/weigh.ts';
import { type EngineIdentity, readIdentity } from './engine-identity.ts';

/** What the platform around the engine sets, where its arguments stand, and who undoes a change. */
export function deriveWrapper(evidence: Evidence): Group {
  const identity = readIdentity(evidence);
  const { wrappers } = identity;
  const from = wrappers.map((wrapper) => wrapper.from);
  const told = (sentences: readonly (string | undefined)[], proof: readonly Citation[] = from) => {
    const text = sentences.filter((sentence) => sentence !== undefined && sentence !== '').join(' ');
    return fact(text === '' ? undefined : text, proof);
  };
  return {
    'wrapper.version': wrapperVersion(evidence, identity),
    'wrapper.arguments-at': told(wrappers.map(({ value }) => argumentsAt(value))),
  };
}

// NIM says it in its banner; which KAITO it is shows in the vLLM that it brings.
function wrapperVersion({ weighing }: Evidence, { wrappers, version }: EngineIdentity) {
  const banner = weighing.all.find(({ phrase }) => phrase.id === 'nim.cfg.version');
  const named = banner?.hit.captures.version;
  if (banner !== undefined && named !== undefined) return fact(`NIM ${named}`, [citeHit(banner)]);
  const kaito = wrappers.find(({ value }) => value === 'kaito');
  const release = kaito && kaitoRelease(version?.value);
  return release === undefined ? undefined : version && fact(`KAITO ${release}`, [version.from]);
}

// Known only where it is so: elsewhere nobody has to look for it.
