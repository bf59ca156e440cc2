import { describe, expect, it } from 'vitest';
import { PAGE, type Status, statusMessage } from '../../src/report/status.ts';
import { drawHome, drawMessage } from '../../src/slack/draw/message.ts';
import { validateHome, validateMessage } from '../../src/slack/limits/message-limits.ts';
import { exampleIncident } from '../model/examples.ts';
import { exampleRun } from '../model/plan-examples.ts';
import { stopBleed } from './acting-messages.ts';

const NAME = 'x'.repeat(64);
const RTL = 'خدمة'.repeat(16);

/** 300 pods with an incident each, and as many runs and plans, all with names of 64 characters. */
function crowded(name: string): Status {
  const ids = Array.from({ length: 300 }, (_, i) => `${'inc_'.padEnd(24, '0')}${i}`);
  const target = { ...stopBleed.target, cluster: name, object: { ...stopBleed.target.object, name, namespace: name } };
  const workload = `Deployment/${name}`;
  return {
    incidents: ids.slice(0, PAGE).map((id) => ({ ...exampleIncident, id, cluster: name, namespace: name, workload })),
    open: 300,
    page: 1,
    pages: 300 / PAGE,
    runs: ids.map((id) => ({ ...exampleRun, id, target })),
    plans: ids.map((id) => ({ ...stopBleed, id, target })),
    links: new Map(ids.map((id) => [id, `https://chat.example/archives/C_LLM/p${id}`])),
    refused: ids.map((id) => ({ incidentId: id, kind: `decided/plan_${id}/C_LLM`, conversation: 'C_LLM' })),
    paused: { by: 'U_ONCALL', at: 0, reason: name.repeat(40) },
  };
}

describe.each([
  ['64 characters', NAME],
  ['right-to-left letters', RTL],
])('the status of 300 pods with names of %s', (_, name) => {
  const message = statusMessage(crowded(name), exampleIncident.lastSeenAt, '/oom', {
    clickable: true,
    mayPlan: () => true,
    changes: true,
  });
  const text = JSON.stringify(drawMessage(message).blocks);

  it('is taken by Slack whole, in a channel and as the Home tab', () => {
    const drawn = drawMessage(message);
    const home = drawHome([message]);

    expect(validateMessage(drawn, 'post')).toEqual([]);
    expect(validateHome(home)).toEqual([]);
    for (const one of [drawn, home]) expect(JSON.stringify(one)).not.toMatch(/do not fit|and \d+ more"/);
  });

  it('has a title with the counts, says where the rest is, and links to what it lists', () => {
    expect(text).toMatch(/oombot: 300 open incidents, 300 running, 300 waiting for approval/);
    expect(text).toMatch(/292 more, in the threads of their incidents/);
    expect(text).toMatch(/page 1 of 30: `\/oom status &lt;page&gt;`/);
    expect(text.match(/"type":"link"/g)).toHaveLength(5 + 8 + 8 + 3);
    expect(text.match(/"type":"section".{0,900}?<https:[^>]*\|inc_/g)).toHaveLength(5);
    expect(text.match(/"type":"overflow"/g)).toHaveLength(5);
    expect(message.choices?.map(({ label }) => label)).toEqual([
      'Next page',
      'Refresh',
      'Shift handover',
      'Temporary changes',
    ]);
  });
});
