import { readVersion } from '../../model/flag-table.ts';
import { isInRange, parseVersionRange } from '../../model/version-range.ts';
import { fact, type Group } from '../draft.ts';
import { readIdentity } from '../evidence/engine-identity.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { citeHit } from '../evidence/weigh.ts';

/**
 * A deciding line that the known version of the engine is not known to print. The line is there, so it still decides: more
 * often it is the version that is wrong, being that of a platform around the engine, and flags go by the version.
 */
export function deriveVersionMisfit(evidence: Evidence): Group {
  const { decisive } = evidence.weighing;
  const { engine, version } = readIdentity(evidence);
  const number = readVersion(engine, version?.value);
  if (decisive === undefined || version === undefined || number === undefined || decisive.phrase.engine !== engine) {
    return {};
  }
  const { versions } = decisive.phrase;
  const range = parseVersionRange(versions);
  if (range === undefined || isInRange(number, range)) return {};
  const says = `${engine} ${number} is not known to print the line that decides: its sources have it in ${inWords(versions)}. The version, or the engine, may be another one, and flags go by the version.`;
  return { 'log.version-misfit': fact(says, [citeHit(decisive), version.from]) };
}

function inWords(versions: string): string {
  return versions
    .replace(/^(\S+) - HEAD/, '$1 and newer')
    .replace(/^>=(\S+)/, '$1 and newer')
    .replace(' - ', ' to ');
}
