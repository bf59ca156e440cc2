import { createSystemClock } from '../../src/system/clock.ts';
import { createSystemIds } from '../../src/system/ids.ts';
import { openStore } from '../../src/wire/open-store.ts';
import { aClick } from '../fakes/plans.ts';

// Clicks every open plan for two people at once, each twice, and prints what the store has answered.
const [url = ''] = process.argv.slice(2);
const store = await openStore(url, { clock: createSystemClock(), ids: createSystemIds() });
for (const { id } of await store.openIncidents()) {
  for (const plan of await store.plansOf(id)) {
    const click = async (who: string): Promise<void> => {
      const outcome = await store.click(aClick(plan, { who, at: Date.now() }));
      const run = outcome.kind === 'run' ? outcome.run.id : null;
      process.stdout.write(`${JSON.stringify({ planId: plan.id, who, kind: outcome.kind, run })}\n`);
    };
    await Promise.all(['U_ONCALL', 'U_APPROVER', 'U_ONCALL', 'U_APPROVER'].map(click));
  }
}
await store.close();
