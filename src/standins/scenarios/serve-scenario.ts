// The stand-in in a process of its own: `node src/standins/scenarios/serve-scenario.ts <scenario or file> [--port N] [--speed X]`.
// Prints one line of JSON, {"url": ..., "port": ...}, when it listens. Time is real, `--speed` times as fast; with
// `--speed 0` it moves only by POST /_standin/advance {"ms": ...}.
import { parseArgs } from 'node:util';
import { createApiServerStandin } from '../api-server/create-api-server-standin.ts';
import { loadScenario } from './load-scenario.ts';

const TICK_MS = 50;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { port: { type: 'string', default: '0' }, speed: { type: 'string', default: '1' } },
});

const now = Date.now();
const { world, life } = loadScenario(positionals[0] ?? 'oom-killed', now);
const standin = await createApiServerStandin(world, { life, now, port: Number(values.port), control: true });

const speed = Number(values.speed);
if (speed > 0) {
  let last = Date.now();
  setInterval(() => {
    const at = Date.now();
    standin.cluster.advance((at - last) * speed);
    last = at;
  }, TICK_MS);
}

process.stdout.write(`${JSON.stringify({ url: standin.url, port: Number(new URL(standin.url).port) })}\n`);
