import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runOom } from '../fakes/terminal.ts';

const HEAD = 'LAST SEEN   TYPE      REASON      OBJECT                          MESSAGE\n';
const MEMORY =
  'The node was low on resource: memory. Threshold quantity: 100Mi, available: 52Mi. Container vllm was using 61Gi, request is 0, has larger consumption of memory.';
const DISK = 'The node was low on resource: ephemeral-storage. Threshold quantity: 10Gi, available: 5Gi.';

const row = (reason: string, object: string, message: string, age = '4m10s') =>
  `${age}       Warning   ${reason}     ${object}     ${message}\n`;
const backOff = (pod: string, kind = 'pod') =>
  row('BackOff', `${kind}/${pod}`, `Back-off restarting failed container in pod ${pod}`);

const CHAT = 'chat-7d8f6f9c6b-4mnl2';
const EMBED = 'embed-6c5d4f7b9-xk2lp';

async function verdictsOf(table: string) {
  const { out, err } = await runOom(['diagnose', '-', '--json'], table);
  const told = out.split('\n').filter((line) => line !== '');
  return { err, of: told.map((line) => JSON.parse(line)).map(({ id, plane, finding }) => [id, plane, finding]) };
}

describe('a table of the events of a namespace', () => {
  it.each([
    ['kubectl get events', HEAD + backOff(EMBED) + row('Evicted', `pod/${CHAT}`, MEMORY) + backOff('gateway-0')],
    [
      'kubectl get events -A',
      `NAMESPACE   ${HEAD}llm   ${backOff(EMBED)}llm   ${row('Evicted', `pod/${CHAT}`, MEMORY)}`,
    ],
    ['kubectl events', HEAD + backOff(EMBED, 'Pod') + row('Evicted', `Pod/${CHAT}`, MEMORY, '5m (x3 over 9m)')],
    [
      'with a replica that only waits before it',
      HEAD + backOff('chat-7d8f6f9c6b-zz8kq') + row('Evicted', `pod/${CHAT}`, MEMORY),
    ],
  ])('is that of the only pod that ended for its memory: %s', async (_, table) => {
    expect(await verdictsOf(table)).toEqual({ err: '', of: [[CHAT, 'host', 'host-node-burst']] });
  });

  it('tells of each pod that ended what it was', async () => {
    const table =
      HEAD +
      row('Evicted', `pod/${CHAT}`, MEMORY) +
      row('Evicted', 'pod/qwen-0', DISK) +
      backOff('gateway-0') +
      row('Evicted', `pod/${EMBED}`, MEMORY);

    expect((await verdictsOf(table)).of).toEqual([
      [CHAT, 'host', 'host-node-burst'],
      ['qwen-0', 'none', 'none-evicted'],
      [EMBED, 'host', 'host-node-burst'],
    ]);
  });

  it('has the name of its folder where it is of one pod', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'oom-events-'));
    writeFileSync(join(folder, 'describe.txt'), HEAD + backOff(EMBED) + row('Evicted', `pod/${CHAT}`, MEMORY));
    const { out } = await runOom(['diagnose', folder, '--json']);
    rmSync(folder, { recursive: true });

    expect(JSON.parse(out)).toMatchObject({ id: basename(folder), finding: 'host-node-burst' });
  });

  it('tells of replicas that went for the same once', async () => {
    const table =
      HEAD +
      row('Evicted', `pod/${CHAT}`, MEMORY) +
      row('Evicted', 'pod/chat-7d8f6f9c6b-zz8kq', MEMORY) +
      row('Evicted', 'pod/chat-7d8f6f9c6b-x2x9q', 'The node had condition: [MemoryPressure].') +
      backOff('gateway-0');

    expect((await verdictsOf(table)).of).toEqual([[CHAT, 'host', 'host-node-burst']]);
  });

  it('keeps what it says of the node apart from what it says of pods', async () => {
    const killed = row('SystemOOM', 'node/gpu-1', 'System OOM encountered, victim process: python3, pid: 4123');
    const { of } = await verdictsOf(HEAD + row('Evicted', 'pod/qwen-0', DISK) + killed + backOff('gateway-0'));

    expect(of).toEqual([
      ['qwen-0', 'none', 'none-evicted'],
      ['gpu-1', 'host', 'host-node-burst'],
    ]);
  });

  it('cites the lines of the table as they are numbered there', async () => {
    const { out } = await runOom(['diagnose', '-'], HEAD + backOff(EMBED) + row('Evicted', `pod/${CHAT}`, MEMORY));

    expect(out).toContain('stdin:3 ');
  });

  it('is read from -o json as well', async () => {
    const event = (reason: string, name: string, message: string) => ({
      kind: 'Event',
      metadata: { name: `${name}.1`, namespace: 'llm' },
      involvedObject: { kind: 'Pod', name, namespace: 'llm' },
      reason,
      message,
      type: 'Warning',
    });
    const items = [
      event('BackOff', EMBED, 'Back-off'),
      event('Evicted', CHAT, MEMORY),
      event('Evicted', 'qwen-0', DISK),
    ];

    expect((await verdictsOf(JSON.stringify({ kind: 'List', items }, null, 2))).of).toEqual([
      [CHAT, 'host', 'host-node-burst'],
      ['qwen-0', 'none', 'none-evicted'],
    ]);
    expect((await verdictsOf(JSON.stringify({ kind: 'List', items: items.slice(1, 2) }))).of).toEqual([
      ['stdin', 'host', 'host-node-burst'],
    ]);
  });

  it('in which no pod ended is not taken for something else', async () => {
    const { err, of } = await verdictsOf(HEAD + backOff(EMBED) + backOff('gateway-0'));

    expect(err).toBe('');
    expect(of).toEqual([['stdin', 'unknown', expect.any(String)]]);
  });
});
