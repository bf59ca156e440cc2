// First of all: the others read the clock.
import './shift-date.ts';
import { flushCompileCache } from 'node:module';
import { createInterface } from 'node:readline';
import { carryRun, type Errand } from './carry-run.ts';

// A bot as a process. With an errand it does that and ends, unless it is killed; without one it takes errands from its
// input, one a line, and tells of each when it is done: a bot that lives on while others die.
const [, , given] = process.argv;
if (given === undefined) {
  // Those that are killed have no time to leave it to the next.
  flushCompileCache();
  for await (const line of createInterface({ input: process.stdin })) void takeOver(JSON.parse(line) as Errand);
} else {
  await carryRun(JSON.parse(given) as Errand, (runner) => {
    process.on('SIGTERM', () => {
      void runner.stop().then(() => process.exit(0));
    });
  });
  process.exit(0);
}

async function takeOver(errand: Errand): Promise<void> {
  const fault = await carryRun(errand).then(
    () => null,
    (error: unknown) => String(error),
  );
  console.log(JSON.stringify({ runId: errand.runId, fault }));
}
