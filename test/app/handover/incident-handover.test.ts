import { beforeAll, describe, expect, it } from 'vitest';
import { type HandoverDeps, readHandover } from '../../../src/app/handover/incident-handover.ts';
import type { PodState } from '../../../src/app/incident-ports.ts';
import type { Diagnosed } from '../../../src/app/triage/investigate.ts';
import { OomError } from '../../../src/model/errors.ts';
import type { DomainEvent } from '../../../src/model/events.ts';
import type { Fact, Facts } from '../../../src/model/fact.ts';
import type { IncidentHandover } from '../../../src/model/handover.ts';
import type { Incident } from '../../../src/model/incident.ts';
import type { TemporaryChange } from '../../../src/model/temporary-change.ts';
import { handoverMessage, handoverThread, wholeHandover } from '../../../src/report/handover.ts';
import { drawTerminal } from '../../../src/report/terminal.ts';
import { drawMessage } from '../../../src/slack/draw/message.ts';
import { validateMessage } from '../../../src/slack/limits/message-limits.ts';
import { snapshotSource } from '../../../src/snapshot/source.ts';
import { START } from '../../fakes/clock.ts';
import { exampleDiagnosis, exampleIncident } from '../../model/examples.ts';
import { CASES, COMPILED, judge, readIncident } from '../../playbooks/shipped.ts';
import { AS_TEXT, aFacts } from '../../report/inputs.ts';
import { someTriages } from '../triage/triage-harness.ts';

const HOUR = 3_600_000;
const POINTS = ['1 Category: ', '2 Settings: ', '3 Pools: ', '4 To roll back: ', '5 Counters since '];

type Given = {
  readonly finding?: Diagnosed;
  readonly now?: Facts | OomError | 'gone';
  readonly pods?: readonly PodState[];
  readonly changes?: readonly TemporaryChange[];
  readonly events?: readonly DomainEvent[];
  readonly incident?: Partial<Incident>;
  readonly over?: Partial<HandoverDeps>;
};

const aFinding = (facts: Facts = aFacts({})): Diagnosed => ({
  ...{ diagnosis: exampleDiagnosis, facts, capture: undefined, series: undefined },
});

const aPod = (over: Partial<PodState> = {}): PodState => ({
  ...{ name: 'vllm-0', ready: true, createdAt: START - HOUR, restartedAt: undefined, restarts: 0, ...over },
});

/** A handover of an incident whose finding was `finding`, and whose workload is read as `now`. */
async function handedOver(given: Given = {}): Promise<IncidentHandover> {
  const { finding = aFinding(), now = finding.facts, pods = [aPod()], changes = [], events = [] } = given;
  const made = someTriages();
  const { store, clock, cluster, deps } = made;
  const { incident } = await store.recordFinding({
    draft: { ...exampleIncident, cluster: 'prod', namespace: 'llm', key: 'k', verdict: finding.diagnosis.verdict },
    snapshot: { id: 'snap_before', files: {} },
    diagnosis: finding.diagnosis,
    ...{ actor: 'U_ONCALL', at: clock.now(), windowMs: HOUR },
  });
  if (now === 'gone') cluster.resolving = () => ({ kind: 'not-found', nearest: [], searched: ['llm'] });
  cluster.collecting = async () => {
    if (now instanceof OomError) throw now;
  };
  const live = { ...finding, facts: now instanceof Map ? now : finding.facts };
  const diagnose = async (source: { id: string }) => (source.id === 'snap_before' ? finding : live);
  return readHandover(
    {
      ...{ store: { ...store, events: async () => [...(await store.events(incident.id)), ...events] }, acts: store },
      investigate: { ...deps.investigate, diagnose },
      ledger: { openChanges: async () => changes },
      history: new Map(),
      pods: new Map([['prod', { read: async () => ({ kind: 'read', pods }) }]]),
      routes: new Map([['prod', { read: async () => ({ kind: 'read', value: undefined }) }]]),
      source: snapshotSource,
      diagnose,
      ...given.over,
    } satisfies HandoverDeps,
    { ...incident, ...given.incident },
  );
}

const textOf = (handover: IncidentHandover, width = 100): string =>
  drawTerminal({ ...wholeHandover(handover), choices: [] }, { ...AS_TEXT, width });

const pointIn = (text: string, point: string): string =>
  text
    .replace(/\n {2,}/g, ' ')
    .split('\n')
    .find((line) => line.startsWith(point)) ?? '';

describe('a handover of every finding from its golden evidence', () => {
  let texts: readonly { readonly name: string; readonly text: string; readonly problems: number }[] = [];

  beforeAll(async () => {
    const cases = CASES.flatMap(({ cases }) => cases);
    const first = new Map(
      cases.map((one) => [one.expect.finding, one]).reverse() as [string | undefined, (typeof cases)[number]][],
    );
    const made = [...first].flatMap(([finding, one]) => (finding === undefined ? [] : [one]));
    const all = [];
    for (const one of made) {
      const known = [...one.facts].map(([id, fact]): [string, Fact] => [
        id,
        fact.kind === 'unknown'
          ? { kind: 'unknown', reason: fact.reason, detail: 'removed' }
          : { kind: 'known', value: fact.value, from: [{ kind: 'field', file: 'pod.json', path: '/', text: 'x' }] },
      ]);
      const read = one.incident === undefined ? new Map<string, Fact>() : await readIncident(one.incident, one.change);
      const facts: Facts = new Map([...read, ...known]);
      const diagnosis = judge(facts, one.name);
      const handover = await handedOver({ finding: { diagnosis, facts, capture: undefined, series: undefined } });
      const [message, timeline] = [handoverMessage(handover), handoverThread(handover)];
      const problems = [message, timeline].flatMap((sent) => validateMessage(drawMessage(sent)));
      all.push({ name: diagnosis.verdict.finding, text: textOf(handover), problems: problems.length });
    }
    texts = all;
  }, 60_000);

  it('is made for all of them', () => {
    if (COMPILED.kind === 'bad') throw new Error('no playbook');
    const named = new Set(texts.map(({ name }) => name));
    expect(COMPILED.playbook.findings.map(({ id }) => id).filter((id) => !named.has(id))).toEqual([]);
  });

  it('has five points with words, no empty heading, and at most 25 lines', () => {
    const without = texts.filter(({ text }) => POINTS.some((point) => !/: \S/.test(pointIn(text, point))));
    const long = texts.filter(({ text }) => text.split('\n').length > 25);

    expect(without.map(({ text }) => text)).toEqual([]);
    expect(long.map(({ text }) => text)).toEqual([]);
    expect(texts.filter(({ problems }) => problems > 0).map(({ name }) => name)).toEqual([]);
  });
});

describe('the handover of one incident', () => {
  const CHANGE: TemporaryChange = {
    ...{ id: 'chg_1', runId: 'run_1', planId: 'plan_1', incidentId: 'inc_x', action: 'set-args' },
    target: {
      cluster: 'prod',
      object: { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'llm', name: 'vllm-server', uid: 'u' },
      container: 'vllm',
    },
    values: [{ label: '--max-model-len', from: '131072', to: '24736' }],
    ...{ patch: 'spec: {}', requestedBy: 'U_ONCALL', approvedBy: ['U_APPROVER'], cause: 'gpu.startup.kv-room' },
    ...{ appliedAt: START - HOUR, expiresAt: START + HOUR, state: 'temporary', stateBy: null, why: null },
    ...{ stateAt: START, nextCheckAt: START, checkedAt: START, checkFault: null },
  };
  const settings = (length: number) =>
    aFacts({
      ...{ 'engine.name': 'vllm', 'knob.length': '--max-model-len', 'engine.max-model-len': length },
      ...{
        'knob.sequences': '--max-num-seqs',
        'engine.max-num-seqs': 256,
        'knob.fraction': '--gpu-memory-utilization',
      },
    });
  const point = async (n: number, given: Given) => pointIn(textOf(await handedOver(given), 400), POINTS[n - 1] ?? '');

  it('shows settings before and now, and names those that nothing shows', async () => {
    const given = { finding: aFinding(settings(131072)), now: settings(24736) };

    expect(await point(2, given)).toBe(
      '2 Settings: max-model-len 131072 → 24736 · max-num-seqs 256 · gpu-memory-utilization unknown',
    );
  });

  it.each([
    ['was deleted', 'gone', 'the workload was deleted'],
    [
      'cannot be reached',
      new OomError('cluster-unreachable', 'The API server cannot be reached: connection refused.', { next: 'x' }),
      'The API server cannot be reached: connection refused (cluster prod)',
    ],
  ] as const)('of a workload that %s says so next to the settings of the failure', async (_, now, why) => {
    const given = { finding: aFinding(settings(131072)), now };

    const text = await point(2, given);

    expect(text).toContain('max-model-len 131072');
    expect(text).toContain(`at the failure; now unknown (${why})`);
  });

  it('lists what is to be rolled back, with its expiry, and counts since that change', async () => {
    const given = {
      changes: [CHANGE],
      pods: [aPod({ createdAt: START - HOUR / 2, restarts: 2 }), aPod({ createdAt: 0, restartedAt: START - 1000 })],
    };

    expect(await point(4, given)).toMatch(/^4 To roll back: --max-model-len 24736 → 131072, expires 2026-/);
    expect(await point(5, given)).toMatch(/^5 Counters since the change: 0 OOMs, 3 restarts, /);
    const { choices } = handoverMessage(await handedOver(given));
    expect(choices?.map(({ label }) => label)).toEqual([
      ...['Roll back…', 'Extend 24 h', 'Mark permanent', 'Show patch', 'Resolve…'],
    ]);
  });

  it('counts a failure that the log shows after the change', async () => {
    const died = aFacts({ 'evidence.plane': 'gpu', 'gpu.oom-at': START - 1000 });

    expect(await point(5, { changes: [CHANGE], now: died })).toContain(': 1 OOM, ');
  });

  it.each([
    ['none', { kind: 'read', value: undefined }, 'no separate pool found; long and short requests share these pods'],
    [
      'two behind one route',
      { kind: 'read', value: { pool: 'long', route: 'chat', others: ['short'] } },
      'long behind route chat, next to short',
    ],
    ['forbidden', { kind: 'unknown', why: 'missing right: inferencepools list' }, 'unknown (missing right:'],
  ] as const)('says which pools there are: %s', async (_, pool, says) => {
    const routes = new Map([['prod', { read: async () => pool }]]);

    expect(await point(3, { over: { routes } })).toContain(says);
  });

  it('with 40 events and 12 changes stays within 25 lines and Slack’s limits, and says how many it leaves out', async () => {
    const events = Array.from(
      { length: 40 },
      (_, i): DomainEvent => ({
        ...{ kind: 'incident-seen-again', at: START + i, incidentId: 'inc_x', actor: 'U_ONCALL', seen: i + 2 },
      }),
    );
    const changes = Array.from({ length: 12 }, (_, i) => ({ ...CHANGE, id: `chg_${i}` }));
    const handover = await handedOver({ events, changes });

    const text = textOf(handover);

    expect(text.split('\n').length).toBeLessThanOrEqual(25);
    expect(text).toContain('; 9 more');
    expect(text).toContain('more between');
    const problems = [handoverMessage(handover), handoverThread(handover)].flatMap((m) =>
      validateMessage(drawMessage(m)),
    );
    expect(problems).toEqual([]);
  });
});
