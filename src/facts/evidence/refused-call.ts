import type { LineCitation } from '../../model/citation.ts';
import type { LogReading } from '../../model/log-reading.ts';
import { cleanLine } from '../../read/log/clean-line.ts';
import { tailLines } from './tail-lines.ts';

// What uvicorn and gin write of a call that was not just a look: with what it was answered.
const ANSWER =
  /"(?:POST|PUT|PATCH|DELETE) \/\S{0,200} HTTP\/[\d.]{1,3}"? (\d{3})\b|^\[GIN\] [^|]{1,40}\| (\d{3}) \|[^\n]{0,120}\b(?:POST|PUT|PATCH|DELETE) /;
// 499 is a client that did not wait.
const OF_CLIENT = /^4(?!99)\d\d$/;

/** The first answer below an error, where it tells the client that its call was wrong: the call failed, and the server lives. */
export function refusedCall(log: LogReading | undefined, from: LineCitation): LineCitation | undefined {
  if (log === undefined || log.file !== from.file) return undefined;
  for (const line of tailLines(log)) {
    const [, uvicorn, gin] = (line.line > from.line && ANSWER.exec(cleanLine(line.text).clean)) || [];
    const status = uvicorn ?? gin;
    if (status !== undefined) return OF_CLIENT.test(status) ? line : undefined;
  }
  return undefined;
}
