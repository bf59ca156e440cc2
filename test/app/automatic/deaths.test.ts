import { describe, expect, it } from 'vitest';
import { deathsOf } from '../../../src/app/automatic/deaths.ts';
import { isPosted } from '../../../src/app/automatic/is-posted.ts';
import { START } from '../../fakes/clock.ts';
import { anEnd, aWatchedPod } from '../../fakes/watched-pod.ts';

const since = { sinceMs: START - 60_000, now: START + 5 };
const well = aWatchedPod();
const died = aWatchedPod({ ended: anEnd(), ready: false });
const old = anEnd({ finishedAt: START - 60_001 });

describe('a death', () => {
  it.each([
    ['a container that died', died, well, 1],
    ['the same one seen again', aWatchedPod({ ended: anEnd(), restarts: 1 }), died, 0],
    ['another instance', aWatchedPod({ ended: anEnd({ containerId: 'containerd://2' }), restarts: 2 }), died, 1],
    ['one without ids, by its time', aWatchedPod({ ended: anEnd({ containerId: '', finishedAt: 9 }) }), well, 1],
    ['an orderly end', aWatchedPod({ ended: anEnd({ exitCode: 0, reason: 'Completed' }) }), well, 0],
    ['an end in order with a killed child', aWatchedPod({ ended: anEnd({ exitCode: 0 }) }), well, 1],
    ['an end of a pod that leaves', { ...died, leaving: true }, well, 0],
    ['an unknown pod, long dead', aWatchedPod({ ended: old }), undefined, 0],
    ['an unknown pod, just dead', died, undefined, 1],
    ['a known pod, dead for long', aWatchedPod({ ended: old }), well, 1],
    ['an eviction, which takes its containers along', { ...died, failed: 'Evicted' }, well, 1],
    ['an eviction seen again', { ...died, failed: 'Evicted' }, { ...well, failed: 'Evicted' }, 0],
    ['an eviction of long ago', aWatchedPod({ failed: 'Evicted', ended: old }), undefined, 0],
    ['a node that shuts down', { ...died, failed: 'Terminated' }, well, 0],
  ])('is counted: %s', (_, pod, before, count) => {
    expect(deathsOf(pod, before, since)).toHaveLength(count);
  });

  it('has one key, whoever sees it and when', () => {
    const [first] = deathsOf(died, undefined, since);
    const [later] = deathsOf(aWatchedPod({ ended: anEnd(), restarts: 1 }), well, since);

    expect(first).toMatchObject({ reason: 'OOMKilled', at: START });
    expect(later?.key).toBe(first?.key);
  });
});

describe('a finding of the watch', () => {
  const at = (time: string) => Temporal.Instant.from(time).epochMilliseconds;
  const quietHours = { from: '22:00', to: '07:00', timeZone: 'Europe/Berlin' };
  const on = { mode: 'on', minSeverity: 'low', quietHours } as const;

  it.each([
    ['before midnight', '2026-01-15T21:00:00Z', false],
    ['after midnight', '2026-01-15T05:59:00Z', false],
    ['at their end', '2026-01-15T06:00:00Z', true],
    ['before they begin', '2026-01-15T20:59:00Z', true],
    // Summer time: 22:00 in Berlin is 20:00 UTC; on 29 March 2026 clocks go from 02:00 to 03:00.
    ['in summer', '2026-07-15T20:00:00Z', false],
    ['in summer, at their end', '2026-07-15T05:00:00Z', true],
    ['in the night of summer time', '2026-03-29T01:00:00Z', false],
    ['at the end of that night', '2026-03-29T05:00:00Z', true],
  ])('is held back in quiet hours over midnight: %s', (_, time, posted) => {
    expect(isPosted(on, 'high', at(time))).toBe(posted);
    expect(isPosted(on, 'critical', at(time))).toBe(true);
  });

  it('is posted in quiet hours of one day outside of them', () => {
    const lunch = { ...on, quietHours: { from: '12:00', to: '13:00', timeZone: 'UTC' } };

    expect(['11:59', '12:00', '13:00'].map((time) => isPosted(lunch, 'low', at(`2026-01-15T${time}:00Z`)))).toEqual([
      true,
      false,
      true,
    ]);
  });

  it('is posted from the least severity on, and never in mode quiet', () => {
    const severities = ['critical', 'high', 'medium', 'low'] as const;
    const rule = { mode: 'on', minSeverity: 'high' } as const;

    expect(severities.map((one) => isPosted(rule, one, START))).toEqual([true, true, false, false]);
    expect(isPosted({ ...rule, mode: 'quiet' }, 'critical', START)).toBe(false);
  });
});
