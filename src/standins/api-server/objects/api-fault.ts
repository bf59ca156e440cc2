/**
 * What goes wrong with an answer. `slow` waits this long before each piece of it. A write that is delayed, refused,
 * dropped or hung has no effect yet; with `after` it has had its effect, and only its answer meets the fault.
 */
export type ApiFault = { readonly after?: boolean } & (
  | { readonly kind: 'delay'; readonly ms: number }
  | { readonly kind: 'refuse'; readonly status: number; readonly retryAfterSeconds?: number }
  | { readonly kind: 'drop' }
  | { readonly kind: 'cut'; readonly afterBytes: number }
  | { readonly kind: 'slow'; readonly ms: number }
  | { readonly kind: 'body'; readonly status: number; readonly text: string }
  | { readonly kind: 'hang' }
  /** A watch is cut, or ended in order, after so many events or ms. */
  | {
      readonly kind: 'watch-end';
      readonly afterEvents?: number;
      readonly afterMs?: number;
      readonly isOrderly?: boolean;
    }
  /** A watch sends this text in the place of an event, counted from 0: what is no JSON, or an event of type ERROR. */
  | { readonly kind: 'watch-line'; readonly at: number; readonly text: string }
  /** A list whose pages go on forever, or whose only page does. */
  | { readonly kind: 'endless-list' }
  | { readonly kind: 'endless-body' }
);
