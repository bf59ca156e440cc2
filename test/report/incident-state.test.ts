import { describe, expect, it } from 'vitest';
import type { Feedback, FindingName } from '../../src/model/feedback.ts';
import type { Incident } from '../../src/model/incident.ts';
import { Message } from '../../src/model/message.ts';
import { accuracyMessage } from '../../src/report/accuracy.ts';
import { card } from '../../src/report/card.ts';
import { historyMessage } from '../../src/report/history.ts';
import { drawTerminal } from '../../src/report/terminal.ts';
import { drawMessage } from '../../src/slack/draw/message.ts';
import { validateMessage } from '../../src/slack/limits/message-limits.ts';
import { exampleCapture, exampleIncident } from '../model/examples.ts';
import { AS_TEXT, aFacts, anInput } from './inputs.ts';

const AT = exampleIncident.openedAt;
const text = (message: Message) => drawTerminal(Message.parse(message), AS_TEXT).replace(/\s+/g, ' ');

const FINDINGS: readonly FindingName[] = [
  {
    id: 'gpu-burst',
    plane: 'gpu',
    phases: ['burst'],
    causes: ['gpu.burst.batched-tokens'],
    name: 'One forward pass was too large',
  },
  {
    id: 'ram-load',
    plane: 'host',
    phases: ['startup'],
    causes: ['host.startup.weight-staging'],
    name: 'RAM ran out while loading weights',
  },
];

const anAnswer = (finding: string, right: boolean, actual: string | null = null): Feedback => ({
  ...{ incidentId: 'inc_1', finding, right, actual, note: null, by: 'U_ONCALL', at: AT },
});

describe('the card of an incident', () => {
  const CLOSED: Partial<Incident> = {
    state: 'closed',
    closedAt: AT + 1,
    closedBy: 'U_ONCALL',
    closedWhy: 'fixed\nby hand',
  };

  it.each<[string, Partial<Incident>, RegExp]>([
    ['that somebody is on', { ackBy: 'U_ONCALL', ackAt: AT }, /inc_\d+, U_ONCALL is on it$/],
    ['that was reopened', { reopenedAt: AT, seen: 2 }, /inc_\d+, reopened$/],
    ['that was resolved', CLOSED, /^. Resolved: .*inc_\d+, resolved by U_ONCALL: fixed by hand$/],
    ['that an earlier release has closed', { ...CLOSED, closedBy: null, closedWhy: null }, /resolved by oombot$/],
  ])('%s says so', (_what, over, says) => {
    expect(text(card(anInput({ incident: { ...exampleIncident, ...over } })))).toMatch(says);
  });

  describe('that was resolved before its pod was read again', () => {
    const told = (condition: object, over: Partial<Parameters<typeof anInput>[0]> = {}) => {
      const pod = JSON.stringify({ status: { conditions: [{ type: 'Ready', ...condition }] } });
      const snapshot = { id: 'snap_1', files: { 'pod.json': pod } };
      const capture = { ...exampleCapture, takenAt: AT + 600_000 };
      return text(card(anInput({ incident: { ...exampleIncident, ...CLOSED }, snapshot, capture, ...over })));
    };
    const since = (ms: number) => new Date(AT + ms).toISOString();

    it.each<[string, string, RegExp]>([
      [
        'has not been ready since',
        told({ status: 'False', lastTransitionTime: since(-60_000) }),
        /not been ready since/,
      ],
      [
        'lost readiness later',
        told({ status: 'False', lastTransitionTime: since(60_000) }),
        /but the pod is not ready/,
      ],
      [
        'has a dead engine',
        told({ status: 'True' }, { facts: aFacts({ 'instance.state': 'engine-dead' }) }),
        /engine is/,
      ],
      ['has no known status', told({}, { snapshot: undefined }), /but the status of the pod is unknown/],
    ])('leads with the failure where the pod %s', (_what, said, says) => {
      expect(said).toMatch(/^[✖▲] (?!Resolved)/);
      expect(said).toMatch(/ Resolved by U_ONCALL at 03:00 UTC, but the /);
      expect(said).toMatch(says);
      expect(said).not.toContain(', resolved by');
    });

    it('says the day where that was not today', () => {
      const capture = { ...exampleCapture, takenAt: AT + 24 * 3_600_000 };
      expect(told({ status: 'False' }, { capture })).toContain(
        ' Resolved by U_ONCALL on 2026-01-15, but the pod is not ready',
      );
    });

    it('is over where the pod is ready', () => {
      expect(told({ status: 'True' })).toMatch(/^. Resolved: .*inc_\d+, resolved by U_ONCALL: fixed by hand$/);
    });

    it('leads with the failure in a channel that is shared too', () => {
      expect(told({ status: 'False' }, { evidence: 'verdict-only' })).toMatch(/^[✖▲] (?!Resolved)/);
    });
  });

  it('offers in its menu what can still be done', () => {
    const asks = (over: Partial<Incident>) =>
      card(anInput({ incident: { ...exampleIncident, ...over } })).menu?.map((one) => one.asks);

    expect(asks({})).toEqual(['ack', 'resolve', 'fix', 'right', 'wrong']);
    expect(asks(CLOSED)).toEqual(['fix', 'right', 'wrong']);
    const resolved = card(anInput({ incident: { ...exampleIncident, ...CLOSED }, mayPlan: true }));
    expect(resolved.choices?.map((one) => one.asks)).toEqual(['explain']);
    expect(card(anInput({ incident: exampleIncident, evidence: 'verdict-only' })).menu).toBeUndefined();
  });
});

describe('the accuracy of findings', () => {
  it('is told by finding, with what it was and on how many answers it rests', () => {
    const judged = [
      ...Array.from({ length: 10 }, (_, i) => anAnswer('gpu-burst', i > 2, i > 2 ? null : 'ram-load')),
      anAnswer('gpu-burst', false, 'not-memory'),
      anAnswer('of-an-old-playbook', false, 'unknown'),
    ];

    const told = text(accuracyMessage(judged, FINDINGS, 'oom'));

    expect(told).toContain('7 of 12 judged findings right (58%).');
    expect(told).toContain(
      'One forward pass was too large: 7 of 11 right (64%); 4 wrong, actual cause: RAM ran out while loading weights (3), not memory (1)',
    );
    expect(told).toContain("of-an-old-playbook: 0 of 1 right (0%); 1 wrong, actual cause: don't know (1)");
    expect(told).toContain('Based on 12 answers. 1 finding of 2 has fewer than 10: too few for a reliable percentage.');
  });

  it('without an answer says how to give one', () => {
    expect(text(accuracyMessage([], FINDINGS, '/oom'))).toContain('/oom feedback <incident> yes');
  });

  it('of a hundred findings fits into one message', () => {
    const names = Array.from({ length: 100 }, (_, i) => ({
      id: `f${i}`,
      plane: 'gpu' as const,
      phases: [],
      causes: [],
      name: 'n'.repeat(200),
    }));
    const judged = names.flatMap(({ id }) => names.slice(0, 9).map((other) => anAnswer(id, false, other.id)));

    const message = accuracyMessage(judged, names, '/oom');

    expect(validateMessage(drawMessage(message))).toEqual([]);
    expect(text(message)).toContain('86 more with less feedback');
  });
});

it('the history shows what became of each incident', () => {
  const incidents: Incident[] = [
    { ...exampleIncident, id: 'inc_1', seen: 3, ackBy: 'U_ONCALL', ackAt: AT },
    { ...exampleIncident, id: 'inc_2', state: 'closed', closedAt: AT + 5, closedBy: 'oombot', closedWhy: 'quiet.' },
    {
      ...exampleIncident,
      id: 'inc_3',
      plane: 'none',
      state: 'closed',
      closedAt: AT,
      closedBy: 'oombot',
      closedWhy: 'x',
    },
  ];
  const judged = [anAnswer('gpu-burst', false, 'ram-load')];
  const query = { workload: '', cause: '', since: undefined, until: undefined, searched: undefined };
  const page = { ...query, count: 40, page: 2, pages: 3, now: AT + 7_200_000, commandName: 'oom' };

  const told = text(historyMessage({ incidents, judged, findings: FINDINGS, ...page }));

  expect(told).toContain('seen 3 times, last 2 h ago, open, U_ONCALL is on it, finding was wrong (RAM ran out while');
  expect(told).toContain('2 h ago, resolved by oombot: quiet, inc_2');
  expect(told).toContain('Healthy in prod/llm/Deployment/vllm-server, 2 h ago, inc_3');
  expect(told).toContain('Page 2 of 3; another page: oom history <page>');
});
