import { parseSize } from '../../../../model/quantity.ts';

const OF = /(?<![\d.])~?(\d[\d.]{0,8}) ?([KMGT]i?B?)? ?(?:of|\/|out of) ?(\d[\d.]{0,8}) ?([KMGT]i?B?)?(?![\w.])/gi;
const FULL = 0.97;

/** Whether a text tells of a memory that has next to nothing left: `48.7 of 49.1 GB`. */
export function isNearlyFull(text: string): boolean {
  return [...text.matchAll(OF)].some(([, used = '', ownUnit, total = '', unit]) => {
    const [a, b] = [sizeOf(used, ownUnit ?? unit), sizeOf(total, unit ?? ownUnit)];
    return a <= b && a >= b * FULL;
  });
}

function sizeOf(digits: string, unit: string | undefined): number {
  if (unit === undefined) return Number.NaN;
  return parseSize(`${digits} ${/b$/i.test(unit) ? unit : `${unit}B`}`) ?? Number.NaN;
}
