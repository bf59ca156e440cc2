import type { Caller } from '../objects/access.ts';
import type { ApiRequest } from '../objects/request.ts';

/** A write as it came in, and what became of it. */
export type WriteEntry = Caller & {
  readonly n: number;
  /** Time of the cluster, epoch ms. */
  readonly at: number;
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly dryRun: boolean;
  readonly userAgent: string;
  status: number;
  /** `unchanged`: all was well, and nothing differs. `not-done`: a fault came before the effect. */
  outcome: 'applied' | 'unchanged' | 'dry-run' | 'refused' | 'not-done';
  /** Whether the answer was sent. */
  answered: boolean;
};

/** Whether a request is a write, and no question in the form of one. */
export function isWrite({ method, path }: Pick<ApiRequest, 'method' | 'path'>): boolean {
  return !['GET', 'HEAD'].includes(method) && !/\/(?:selfsubjectaccessreviews|tokenreviews)$/.test(path);
}
