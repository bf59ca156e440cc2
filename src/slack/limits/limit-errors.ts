import type { z } from 'zod';

/** One breach of Slack's limits. `code` is the error the Web API would answer, `pointer` a JSON pointer into what was sent. */
export type LimitProblem = { readonly pointer: string; readonly message: string; readonly code: string };

/** A zod error in the words in which Slack names the same fault. */
export function toLimitProblems(error: z.ZodError, sent: unknown): LimitProblem[] {
  return error.issues.flatMap((issue) => explain(issue, sent));
}

function explain(issue: z.core.$ZodIssue, sent: unknown): LimitProblem[] {
  const at = (message: string, path: readonly PropertyKey[] = issue.path): LimitProblem => ({
    pointer: path.map((part) => `/${String(part)}`).join(''),
    message,
    code: 'invalid_blocks',
  });
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => at(`invalid additional property: ${key}`));
    case 'too_big':
      return [at(tooBig(issue))];
    case 'too_small':
      return [at(tooSmall(issue))];
    case 'invalid_union':
      return [at(`unsupported type: ${String(valueAt(sent, issue.path))}`)];
    case 'invalid_type':
      return valueAt(sent, issue.path) === undefined
        ? [at(`missing required field: ${String(issue.path.at(-1))}`, issue.path.slice(0, -1))]
        : [at(`must provide a valid ${issue.expected}`)];
    default:
      return [at(issue.message)];
  }
}

function tooBig(issue: z.core.$ZodIssueTooBig): string {
  if (issue.origin === 'string') return `must be less than ${Number(issue.maximum) + 1} characters`;
  return issue.origin === 'array' ? `no more than ${issue.maximum} items allowed` : `must be at most ${issue.maximum}`;
}

function tooSmall(issue: z.core.$ZodIssueTooSmall): string {
  if (issue.origin === 'string') return `must be more than ${Number(issue.minimum) - 1} characters`;
  return issue.origin === 'array'
    ? `must have at least ${issue.minimum} items`
    : `must be ${issue.inclusive ? 'at least' : 'more than'} ${issue.minimum}`;
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (inner, part) =>
      typeof inner === 'object' && inner !== null ? (inner as Record<PropertyKey, unknown>)[part] : undefined,
    value,
  );
}
