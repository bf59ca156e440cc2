import { readVersion } from '../../model/flag-table.ts';
import { isInRange, parseVersionRange } from '../../model/version-range.ts';
import { fact } from '../log/draft.ts';
import { LOG } from '../log/needs.ts';
import { defineFacts } from './define.ts';
import { citeHit } from './weigh.ts';

/**
 * A deciding line that the known version of the engine is not known to print. The line is there, so it still decides: more
 * often it is the version that is wrong, being that of a platform around the engine, and flags go by the version.
 */
export const VERSION_MISFIT_FACTS = defineFacts(
  {
    'log.version-misfit': {
      unit: 'text',
      says: 'why the deciding line does not fit the engine version',
      onlyWhere: 'they do not fit',
      needs: LOG,
    },
  },
  (evidence, told) => {
    const { decisive } = evidence.weighing;
    const { engine } = evidence.engine;
    const version = told['engine.version'];
    if (version?.kind !== 'known' || decisive?.signature.engine !== engine) return {};
    const number = readVersion(engine, String(version.value));
    const range = parseVersionRange(decisive.signature.versions);
    if (number === undefined || range === undefined || isInRange(number, range)) return {};
    const says = `${engine} ${number} is not known to print the line that decides: its sources have it in ${inWords(decisive.signature.versions)}. The version, or the engine, may be another one, and flags go by the version.`;
    return { 'log.version-misfit': fact(says, [citeHit(decisive), ...version.from]) };
  },
);

function inWords(versions: string): string {
  return versions
    .replace(/^(\S+) - HEAD/, '$1 and newer')
    .replace(/^>=(\S+)/, '$1 and newer')
    .replace(' - ', ' to ');
}
