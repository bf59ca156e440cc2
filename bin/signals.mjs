const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];
// From a terminal, and from whoever signals the group, a process gets its own: it has come by then.
const OWN_COMES_MS = 100;
// Longer than a command computes at a stretch.
const BUSY_MS = 1500;

/**
 * In the launcher: tells the process that it started of each signal, and sends the signal where that process is too busy to
 * hear of it. Ctrl-C reaches both of them, `kill` only one, and nothing shows which of the two it was.
 * @param {import('node:child_process').ChildProcess} child
 */
export function passSignals(child) {
  for (const signal of SIGNALS) {
    process.on(signal, () => {
      const busy = setTimeout(() => child.kill(signal), BUSY_MS);
      child.once('message', () => clearTimeout(busy));
      child.send({ signal }, (fault) => fault && child.kill(signal));
    });
  }
}

/** In the process that a launcher started: takes a signal of which it is told, unless the same one has come to it by itself. */
export function takeSignals() {
  /** @type {Record<string, number>} */
  const own = {};
  /** @type {Record<string, number>} */
  const told = {};
  for (const signal of SIGNALS)
    countWhereHandled(signal, () => {
      own[signal] = (own[signal] ?? 0) + 1;
    });
  process.on('message', ({ signal }) => {
    process.send?.({ signal }, () => undefined);
    told[signal] = (told[signal] ?? 0) + 1;
    setTimeout(() => (told[signal] ?? 0) > (own[signal] ?? 0) && process.kill(process.pid, signal), OWN_COMES_MS);
  });
}

// A listener keeps a signal from ending the process: this one is there only as long as the command has one.
function countWhereHandled(signal, count) {
  process.on('newListener', (name, listener) => {
    if (name === signal && listener !== count && !process.listeners(signal).includes(count))
      process.prependListener(signal, count);
  });
  process.on('removeListener', (name) => {
    if (name === signal && process.listeners(signal).every((one) => one === count)) process.off(signal, count);
  });
}
