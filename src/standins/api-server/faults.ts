/** What goes wrong with an answer. `cutAfter` counts bytes of the body; `slow` waits this long before each piece of it. */
export type ApiFault =
  | { readonly kind: 'delay'; readonly ms: number }
  | { readonly kind: 'refuse'; readonly status: number; readonly retryAfterSeconds?: number }
  | { readonly kind: 'drop' }
  | { readonly kind: 'cut'; readonly afterBytes: number }
  | { readonly kind: 'slow'; readonly ms: number }
  | { readonly kind: 'body'; readonly status: number; readonly text: string }
  | { readonly kind: 'hang' };

/** Which requests meet it: all whose path (with the query) holds this text or matches this expression. */
export type FaultPlace = string | RegExp;

export type ApiFaults = {
  /** The next `times` requests to this place meet the fault; for ever unless told. */
  on(place: FaultPlace, fault: ApiFault, times?: number): void;
  take(url: string): ApiFault | undefined;
  clear(): void;
};

export function createApiFaults(): ApiFaults {
  const planned: { place: FaultPlace; fault: ApiFault; left: number }[] = [];
  return {
    on(place, fault, times = Number.POSITIVE_INFINITY) {
      planned.push({ place, fault, left: times });
    },
    take(url) {
      const found = planned.find(({ place, left }) => left > 0 && isAt(place, url));
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
