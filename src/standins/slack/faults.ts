/** What goes wrong with a call. `hang` never answers, `lost` does the work and then drops the connection. */
export type Fault =
  | { readonly kind: 'error'; readonly error: string; readonly messages?: readonly string[] }
  | { readonly kind: 'rate-limited'; readonly retryAfterSeconds: number }
  | { readonly kind: 'http'; readonly status: number }
  | { readonly kind: 'slow'; readonly ms: number }
  | { readonly kind: 'hang' }
  | { readonly kind: 'lost' };

export type Faults = {
  /** The next `times` calls of a method (`*` any, `response_url` and `upload` for those two) meet this fault. */
  next(method: string, fault: Fault, times?: number): void;
  take(method: string): Fault | undefined;
  clear(): void;
};

export function createFaults(): Faults {
  const planned: { method: string; fault: Fault; left: number }[] = [];
  return {
    next(method, fault, times = 1) {
      planned.push({ method, fault, left: times });
    },
    take(method) {
      const found = planned.find((p) => p.left > 0 && (p.method === method || p.method === '*'));
      if (found === undefined) return undefined;
      found.left -= 1;
      return found.fault;
    },
    clear() {
      planned.length = 0;
    },
  };
}
