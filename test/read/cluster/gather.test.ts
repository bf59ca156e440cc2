import { describe, expect, it } from 'vitest';
import { verdictOfFiles } from '../../facts/incident.ts';

const EVICTED =
  'The node was low on resource: memory. Container engine was using 5053216Ki, which exceeds its request of 0.';

const row = (reason: string, pod: string, message: string, type = 'Warning') =>
  `4m11s  ${type}  ${reason}  pod/${pod}  ${message}\n`;

const readingOf = async (...rows: readonly string[]) =>
  (await verdictOfFiles({ 'describe.txt': rows.join('') })).finding;

describe('a table of events without a word on which pod it is about', () => {
  it.each([
    ['a StatefulSet', ['chat-0', 'chat-1']],
    ['a Deployment', ['chat-7f5c9d8b6-x2x9q', 'chat-7f5c9d8b6-bbq4m']],
  ])('tells of the replicas of %s, by the first that a warning names', async (_, [first = '', second = '']) => {
    const rows = [row('Evicted', first, EVICTED), row('Scheduled', second, 'Successfully assigned', 'Normal')];

    expect(await readingOf(...rows)).toBe('host-node-burst');
    expect(await readingOf(...rows.toReversed())).toBe('host-node-burst');
  });

  it('tells nothing where it lists pods of two workloads', async () => {
    const rows = [row('Evicted', 'chat-0', EVICTED), row('Evicted', 'embed-0', EVICTED)];

    expect(await readingOf(...rows)).not.toBe('host-node-burst');
  });
});
