import type { Config } from '../config.ts';
import { createRedactor } from '../snapshot/redact.ts';
import { redactJson } from '../snapshot/redact-json.ts';

/** Takes secrets out of what is about to be shown. What `oom collect` wrote has none; a folder made by hand may. */
export function screenRedactor(config: Config): <T>(value: T) => T {
  const redactor = createRedactor({ patterns: config.redaction.patterns });
  return <T>(value: T) => redactJson(value, redactor) as T;
}
