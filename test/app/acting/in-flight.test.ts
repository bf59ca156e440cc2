import { describe, expect, it } from 'vitest';
import { createEngineEyes } from '../../../src/app/acting/verify/create-engine-eyes.ts';
import type { PodGauges, WorkloadPod } from '../../../src/app/acting-ports.ts';
import type { InvestigateDeps } from '../../../src/app/triage/investigate.ts';
import type { Fact } from '../../../src/model/fact.ts';
import { examplePlan } from '../../model/plan-examples.ts';
import { aFinding, someTriages } from '../triage/triage-harness.ts';
import { aPod } from './pod-builder.ts';

/** Requests in flight by pod; null where no such metric. */
function look(
  inFlight: Readonly<Record<string, number | null>>,
  pods: readonly WorkloadPod[],
  shown: Readonly<Record<string, number>> = {},
) {
  const { investigate } = someTriages().deps;
  const none = { kind: 'unknown', why: 'not asked' } as const;
  const samples = Object.entries(shown).map(
    ([pod, value]) => ({ pod, id: 'requests.running', part: '', value }) as const,
  );
  const gauges: PodGauges = {
    read: async () => ({ container: none, gpu: none, engine: { kind: 'read', samples } }),
  };
  const past = {
    history: new Map(),
    gauges: new Map([[examplePlan.target.cluster, gauges]]),
    clock: investigate.clock,
    version: '0.0.0',
    shortTokens: 1000,
  };
  const deps: InvestigateDeps = {
    ...investigate,
    diagnose: async (source) => {
      const text = await source.read('incident.json');
      const name = Object.keys(inFlight).find((one) => text.includes(`"${one}"`)) ?? '';
      const value = inFlight[name] ?? null;
      const fact: Fact =
        value === null
          ? { kind: 'unknown', reason: 'not-configured', detail: 'no metrics' }
          : { kind: 'known', value, from: [] };
      const finding = aFinding('gpu.startup.graph-capture', { id: 's', files: { 'incident.json': text } });
      return { ...finding, facts: new Map([['requests.running', fact]]) };
    },
  };
  const eyes = createEngineEyes(deps, past);
  return eyes.inFlight?.({
    target: examplePlan.target,
    pods,
    since: 0,
    begun: 0,
    signal: new AbortController().signal,
  });
}

describe('requests in flight', () => {
  it('are those of all pods that serve, not of the newest alone', async () => {
    const pods = [aPod('a'), aPod('b'), aPod('c'), aPod('d', { ready: false }), aPod('e', { terminating: true })];

    expect(await look({ a: 2, b: 0, c: 3, d: 7, e: 7 }, pods)).toEqual({ kind: 'known', value: 5 });
  });

  it('are not known where one pod does not tell', async () => {
    expect(await look({ a: 0, b: null }, [aPod('a'), aPod('b')])).toEqual({ kind: 'unknown', why: 'b: no metrics' });
  });

  it('are not known where there are more pods than one look reads', async () => {
    const pods = Array.from({ length: 9 }, (_, i) => aPod(`p${i}`));

    expect(await look({}, pods)).toMatchObject({
      kind: 'unknown',
      why: expect.stringMatching(/^9 pods are ready, more than the 8/),
    });
  });

  it('are told of any number of pods by their metrics, and of the few that lack them by a look at each', async () => {
    const pods = Array.from({ length: 20 }, (_, i) => aPod(`p${i}`));
    const shown = Object.fromEntries(pods.slice(1).map(({ name }) => [name, 2]));

    expect(await look({ p0: 5 }, pods, shown)).toEqual({ kind: 'known', value: 43 });
    expect(await look({ p0: null }, pods, shown)).toMatchObject({ kind: 'unknown' });
  });

  it('are none where nothing serves', async () => {
    expect(await look({}, [aPod('a', { ready: false })])).toEqual({ kind: 'known', value: 0 });
  });
});
