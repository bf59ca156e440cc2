import { fact } from '../log/draft.ts';
import { LOG } from '../log/needs.ts';
import { defineFacts } from './define.ts';
import { citeHit } from './weigh.ts';

const FLAG = /(?<![\w-])--[a-z][a-z0-9-]+/g;
const MOST_FLAGS = 8;

/** What an error itself tells to change, the engine has. Known only where one names a flag. */
export const NAMED_FLAGS = defineFacts(
  { 'log.named-flags': { unit: 'text', says: 'flags that the error itself names', needs: LOG } },
  ({ weighing }) => {
    const naming = weighing.all
      .filter(({ signature: { plane, weight } }) => (plane === 'gpu' || plane === 'host') && weight !== 'context')
      .map((weighed) => ({ from: citeHit(weighed), flags: weighed.hit.text.match(FLAG) ?? [] }))
      .filter(({ flags }) => flags.length > 0);
    const flags = [...new Set(naming.flatMap((one) => one.flags))].slice(0, MOST_FLAGS);
    return {
      'log.named-flags': fact(
        flags.length > 0 ? flags.join(' ') : undefined,
        naming.map(({ from }) => from),
      ),
    };
  },
);
