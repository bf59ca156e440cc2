const LINGER_MS = 1000;

/** Ends the process once its work is done, whatever a client in it still waits for: that of Slack waits 30 s for a server that has gone. */
export function exitSoon(): void {
  setTimeout(() => process.exit(), LINGER_MS).unref();
}
