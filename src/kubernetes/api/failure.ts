import { CONNECTION_FAULTS, codeOf, isUntrusted } from '../../model/connection-fault.ts';
import { type ErrorCode, OomError } from '../../model/errors.ts';
import type { NotRead } from '../../model/snapshot.ts';
import type { Subject } from './identity.ts';
import { manifestFor, type Rule, sayRule } from './rbac.ts';

/** Why a call gave nothing, in words of our own: bodies and headers of the API server never stand here. */
export type KubeFailure = {
  readonly reason: NotRead['reason'];
  readonly code: ErrorCode;
  readonly detail: string;
  readonly status?: number;
  /** The answer is of what is behind the API server, such as a pod: its own words are an answer too. */
  readonly isFromBehind?: boolean;
  /** Seconds after which the API server wants to be asked again. */
  readonly retryAfter?: number;
  readonly rule?: Rule;
  readonly subject?: Subject | undefined;
  /** Address of the API server, where it was not reached. */
  readonly server?: string | undefined;
  readonly cause?: unknown;
};

/** A failure as the fault that the port knows. */
export function toError(failure: KubeFailure): OomError {
  if (failure.cause instanceof OomError) return failure.cause;
  return new OomError(failure.code, messageOf(failure), { next: nextOf(failure), cause: failure.cause });
}

function messageOf({ code, detail, rule }: KubeFailure): string {
  if (code === 'forbidden' && rule !== undefined) return `The API server refused: ${sayRule(rule)}.`;
  return `${detail.charAt(0).toUpperCase()}${detail.slice(1)}.`;
}

function nextOf({ code, reason, rule, subject, status, server }: KubeFailure): string {
  if (code === 'forbidden' && rule !== undefined) {
    return `Ask a cluster admin to apply:\n${manifestFor(rule, subject)}`;
  }
  if (code === 'cluster-unreachable')
    return `Check the API server's address${server === undefined ? '' : ` (${server})`}, network and certificate, then try again.`;
  if (code === 'deadline') return 'The API server is slow or unreachable, or oombot lacks CPU. Try again in a minute.';
  if (status === 401) return 'Log in to the cluster again, or renew the token of the kubeconfig. Then try again.';
  if (status === 429) return 'The API server is overloaded. Try again in a minute.';
  if (reason === 'failed' && status === undefined)
    return "Check the API server's address in the kubeconfig: a proxy or a login page may answer there.";
  return 'Try again. If it persists, check the API server.';
}

/** What was thrown on the way, by the codes of Node and undici. */
export function thrownFailure(thrown: unknown): KubeFailure & { readonly again: boolean } {
  const { code } = codeOf(thrown);
  const base = { reason: 'unreachable', code: 'cluster-unreachable', cause: thrown } as const;
  if (isUntrusted(code)) return { ...base, detail: `the API server is not trusted (${code})`, again: false };
  if (code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_BODY_TIMEOUT')
    return { ...tooSlow(thrown), again: false };
  const words = CONNECTION_FAULTS[code] ?? (code === '' ? 'the request failed' : code);
  return { ...base, detail: `the API server cannot be reached: ${words}`, again: code in CONNECTION_FAULTS };
}

export function tooSlow(cause: unknown, behind?: string): KubeFailure {
  const who = behind === undefined ? 'the API server' : `${behind}, through the API server,`;
  return { reason: 'deadline', code: 'deadline', detail: `${who} did not answer in time`, cause };
}

type Answerer = {
  /** What the API server passes the request on to: `port 8000 of vllm-0`, `metrics.k8s.io`. */
  readonly behind?: string | undefined;
  /** The body is a Status, as the API server itself answers. */
  readonly isStatus: boolean;
};

// What the API server itself answers where it does not reach what is behind it.
const NOT_REACHED = new Set([502, 503, 504]);

/** What an answer other than 2xx means, and whose it is. */
export function statusFailure(
  status: number,
  { rule, subject }: { readonly rule: Rule; readonly subject: Subject | undefined },
  { behind, isStatus }: Answerer,
): KubeFailure {
  if (behind !== undefined && !isStatus) return failureBehind(status, behind);
  if (behind !== undefined && NOT_REACHED.has(status)) {
    const detail = `the API server cannot reach ${behind} (${status})`;
    return { reason: 'unreachable', code: 'cluster-refused', status, detail };
  }
  if (status === 403) {
    return { reason: 'forbidden', code: 'forbidden', status, detail: `missing right: ${sayRule(rule)}`, rule, subject };
  }
  const base = { code: 'cluster-refused', status } as const;
  if (status === 401) return { ...base, reason: 'forbidden', detail: 'the API server rejected the credentials (401)' };
  if (status === 404 || status === 410)
    return { ...base, reason: 'gone', detail: `the API server does not have it (${status})` };
  if (status === 429) return { ...base, reason: 'unreachable', detail: 'the API server is overloaded (429)' };
  if (status >= 500) return { ...base, reason: 'unreachable', detail: `the API server failed (${status})` };
  return { ...base, reason: 'failed', detail: `the API server refused the request (${status})` };
}

function failureBehind(status: number, behind: string): KubeFailure {
  const base = { code: 'cluster-refused', status, isFromBehind: true } as const;
  if (status === 401 || status === 403) {
    return { ...base, reason: 'forbidden', detail: `${behind} refused the request (${status})` };
  }
  const reason = status === 429 || status >= 500 ? 'unreachable' : status === 404 ? 'not-exposed' : 'failed';
  return { ...base, reason, detail: `${behind} answered ${status}` };
}
