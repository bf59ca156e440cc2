import { readFileSync } from 'node:fs';
import { createApiServerStandin } from '../../../../src/standins/api-server/create-api-server-standin.ts';
import type { LifeSettings } from '../../../../src/standins/api-server/life/settings.ts';
import { aWorld } from '../../../../src/standins/api-server/objects/world.ts';

// The stand-in in a process of its own, over an empty world. A JSON file says how its pods live. Prints one line of JSON,
// {"url": ...}, when it listens.
const TICK_MS = 50;

const { life } = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as { readonly life: Partial<LifeSettings> };
const standin = await createApiServerStandin(aWorld({}), { life, now: Date.now(), control: true });

let last = Date.now();
setInterval(() => {
  const at = Date.now();
  standin.cluster.advance(at - last);
  last = at;
}, TICK_MS);

process.stdout.write(`${JSON.stringify({ url: standin.url })}\n`);
