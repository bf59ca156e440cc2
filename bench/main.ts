import { benchAck } from './ack.ts';
import { benchFlood } from './flood.ts';
import { draw, type Figure } from './harness.ts';
import { benchScan } from './scan.ts';
import { benchStart } from './start.ts';
import { benchStorm } from './storm.ts';
import { benchTerminal } from './terminal.ts';
import { benchTriage } from './triage.ts';

const PARTS: Readonly<Record<string, () => Promise<Figure[]>>> = {
  scan: benchScan,
  triage: benchTriage,
  ack: benchAck,
  storm: benchStorm,
  flood: benchFlood,
  start: benchStart,
  terminal: benchTerminal,
};

// npm run bench [-- scan triage ack storm flood start terminal]
const asked = process.argv.slice(2);
const figures: Figure[] = [];
for (const [name, part] of Object.entries(PARTS)) {
  if (asked.length > 0 && !asked.includes(name)) continue;
  const found = await part();
  console.log(draw(found));
  figures.push(...found);
}
const over = figures.filter(({ ok }) => ok === false);
console.log(over.length === 0 ? 'all budgets hold' : `${over.length} over budget`);
process.exit(over.length === 0 ? 0 : 1);
