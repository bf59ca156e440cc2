import type { Facts } from '../../model/fact.ts';
import { knownNumber, knownValue } from './report-input.ts';

const MOMENTS = [
  ['rollout', 'last rollout'],
  ['started', 'container started'],
  ['gpu.oom-at', 'GPU memory ran out (log)'],
  ['death.at', 'container ended'],
  ['sequence.host-at', 'RAM ran out'],
] as const;

/** What has a time, in order: `2026-11-01 03:12:07  container ended (OOMKilled, exit code 137)`. */
export function timeline(facts: Facts): string[] {
  const computed = new Map([
    ['started', startOf(facts)],
    ['rollout', rolloutOf(facts)],
  ]);
  const value = (id: string) => computed.get(id) ?? knownValue(facts, id);
  const ended = [
    value('death.reason'),
    value('death.exit-code') === undefined ? undefined : `exit code ${value('death.exit-code')}`,
  ];
  const detail = ended.filter((part) => part !== undefined).join(', ');
  const moments = MOMENTS.flatMap(([id, says]) => {
    const at = value(id);
    return typeof at === 'number' && Math.abs(at) < 8e15
      ? [{ at, says: id === 'death.at' && detail !== '' ? `${says} (${detail})` : says }]
      : [];
  });
  // The same moment may be known in two ways: the first of them has the better words.
  return moments
    .filter(({ at }, i) => moments.findIndex((other) => other.at === at) === i)
    .toSorted((a, b) => a.at - b.at)
    .map(({ at, says }) => `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')}  ${says}`);
}

function rolloutOf(facts: Facts): number | undefined {
  const [failed, lead] = [
    knownNumber(facts, 'gpu.oom-at') ?? knownNumber(facts, 'death.at'),
    knownNumber(facts, 'revision.lead'),
  ];
  return failed === undefined || lead === undefined ? undefined : Math.round(failed - lead * 1000);
}

function startOf(facts: Facts): number | undefined {
  const [end, lived] = [knownNumber(facts, 'death.at'), knownNumber(facts, 'death.uptime')];
  return end === undefined || lived === undefined ? undefined : Math.round(end - lived * 1000);
}
