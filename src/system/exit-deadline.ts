/**
 * Ends the process as soon as what it wrote is out, whatever a client in it still waits for: that of Slack waits 30 s for a
 * server that has gone. An answer that could not be written ends it where that is reported.
 */
export function exitSoon(): void {
  process.stdout.write('', (fault) => {
    if (!fault) process.stderr.write('', () => process.exit());
  });
}
