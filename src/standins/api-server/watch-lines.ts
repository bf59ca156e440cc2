import type { ServerResponse } from 'node:http';
import type { ApiFault } from './faults.ts';

/** Writes the events of a watch with the fault that it meets. */
export function createWatchLines(response: ServerResponse, fault: ApiFault | undefined): (event: unknown) => void {
  let written = 0;
  const cut = (): void => {
    if (fault?.kind === 'watch-end' && fault.isOrderly === true) response.end();
    else response.destroy();
  };
  const last = fault?.kind === 'watch-end' ? fault.afterEvents : undefined;
  if (last === 0) setImmediate(cut);
  if (fault?.kind === 'watch-end' && fault.afterMs !== undefined) {
    const timer = setTimeout(cut, fault.afterMs);
    response.on('close', () => clearTimeout(timer));
  }
  return (event) => {
    // What comes later is for the next connection.
    if (last !== undefined && written >= last) return;
    const isHit = fault?.kind === 'watch-line' && fault.at === written;
    written += 1;
    const line = isHit ? fault.text : JSON.stringify(event);
    // What was written must reach the client before the connection is cut.
    response.write(`${line}\n`, written === last ? () => setImmediate(cut) : undefined);
  };
}
