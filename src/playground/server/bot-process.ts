import { readFileSync } from 'node:fs';
import { Server } from 'node:net';
import { loadConfig } from '../../config.ts';
import { type Service, startService } from '../../main.ts';
import { OomError, toOomError } from '../../model/errors.ts';
import { createSystemClock } from '../../system/clock.ts';
import { createSimulatedTime } from '../scenarios/simulated-time.ts';
import { FASTEST, type FromBot, type ToBot } from './bot-messages.ts';

// The real bot, in a process of its own so that it can be killed: its configuration by the first argument, its time by
// messages. Nothing of the environment reaches it.
const tell = (message: FromBot): void => void process.send?.(message);
let time: ReturnType<typeof createSimulatedTime> | undefined;
let service: Service | undefined;

process.on('message', (message: ToBot) => {
  if (message.kind === 'stop') return void stop();
  if (time !== undefined) return setTime(message);
  time = createSimulatedTime(createSystemClock(), message.speed);
  setTime(message);
  useAsDate(time.clock.now);
  listenOnLoopback();
  void start(process.argv[2] ?? '', time.clock);
});
// The playground is gone.
process.on('disconnect', () => process.exit(1));
// Ctrl-C reaches every process of the terminal; the playground stops this one.
process.on('SIGINT', () => undefined);

function setTime({ now, speed }: Extract<ToBot, { kind: 'time' }>): void {
  time?.setSpeed(speed);
  time?.advance(now - time.clock.now());
}

// The workflow engine and the check of signatures ask Date; leases that end by it are renewed as often as the fastest
// time needs.
function useAsDate(now: () => number): void {
  globalThis.Date = new Proxy(Date, {
    construct: (target, args, self) => Reflect.construct(target, args.length === 0 ? [now()] : args, self),
    get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
  });
  const repeat = globalThis.setInterval;
  globalThis.setInterval = ((callback: () => void, ms = 0, ...args: []) =>
    repeat(callback, ms / FASTEST, ...args)) as typeof setInterval;
}

// Probes and HTTP deliveries are served on every address elsewhere.
function listenOnLoopback(): void {
  const { listen } = Server.prototype;
  Server.prototype.listen = function (this: Server, ...args: Parameters<typeof listen>) {
    const [port, ...rest] = args as unknown[];
    return listen.apply(this, [typeof port === 'number' ? { port, host: '127.0.0.1' } : port, ...rest] as typeof args);
  } as typeof listen;
}

async function start(file: string, clock: Parameters<typeof startService>[1]): Promise<void> {
  try {
    const outcome = loadConfig({ env: {}, file, readFile: (path) => readFileSync(path, 'utf8') });
    if (outcome.kind === 'bad') {
      const says = outcome.problems.map(({ where, key, message }) => `${where}: ${key} ${message}`).join('; ');
      throw new OomError('bad-config', says, { next: 'Check the rights of the scenario.' });
    }
    // Any free port.
    service = await startService({ ...outcome.config, slack: { ...outcome.config.slack, port: 0 } }, clock);
    tell({ kind: 'ready', port: service.port });
  } catch (error) {
    const { message, next, cause } = toOomError(error);
    tell({ kind: 'failed', says: `${message} ${next} ${cause === undefined ? '' : String(cause)}`.trim() });
    process.exit(1);
  }
}

async function stop(): Promise<void> {
  await service?.stop();
  process.exit(0);
}
