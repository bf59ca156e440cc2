import { logged, verdictOfFiles } from './incident.ts';

const SITE = '/usr/local/lib/python3.12/dist-packages/';

/** An error of an engine: its class, its words, and the file and function that raise it. */
export type Raised = readonly [type: string, message: string, file: string, fn: string];

/** The end of a log in which nobody caught it. */
export const tracebackOf = ([type, message, file, fn]: Raised): string =>
  [
    'Traceback (most recent call last):',
    `  File "${SITE}${file}", line 120, in ${fn}`,
    `    raise ${type}(`,
    `${type}: ${message}`,
  ].join('\n');

/** The same as vLLM's engine core logs it when it could not start. */
export const ofEngineCore = (raised: Raised): string =>
  ['EngineCore failed to start.', ...tracebackOf(raised).split('\n')]
    .map((line) => `(EngineCore pid=170) ERROR 11-20 09:00:12 [core.py:1108] ${line}`)
    .join('\n');

/** What is made of a log that is all there is. */
export const verdictOf = (log: string) => verdictOfFiles(logged(log));
