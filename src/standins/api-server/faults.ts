import type { ApiFault } from './objects/api-fault.ts';

export type { ApiFault } from './objects/api-fault.ts';

/** Which requests meet it: all whose method and path (`PATCH /apis/apps/v1/...?dryRun=All`) hold this text or match this expression. */
type FaultPlace = string | RegExp;

export type ApiFaults = {
  /** The next `times` requests to this place meet the fault; for ever unless told. */
  on(place: FaultPlace, fault: ApiFault, times?: number): void;
  take(method: string, url: string): ApiFault | undefined;
  clear(): void;
};

export function createApiFaults(): ApiFaults {
  const planned: { place: FaultPlace; fault: ApiFault; left: number }[] = [];
  return {
    on(place, fault, times = Number.POSITIVE_INFINITY) {
      planned.push({ place, fault, left: times });
    },
    take(method, url) {
      const found = planned.find(({ place, left }) => left > 0 && isAt(place, `${method} ${url}`));
      if (found !== undefined) found.left -= 1;
      return found?.fault;
    },
    clear() {
      planned.length = 0;
    },
  };
}

function isAt(place: FaultPlace, url: string): boolean {
  return typeof place === 'string' ? url.includes(place) : place.test(url);
}
