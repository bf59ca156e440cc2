/** How long to wait before attempt `i`, counted from 0: twice as long each time, up to the longest. All in ms. */
export function backoffMs(i: number, firstMs: number, longestMs: number): number {
  return Math.min(longestMs, firstMs * 2 ** Math.min(i, 10));
}
