/** Ends the process as soon as what it wrote is out, whatever a client in it still waits for: that of Slack waits 30 s for a server that has gone. */
export function exitSoon(): void {
  process.stdout.write('', () => process.stderr.write('', () => process.exit()));
}
