import { describe, expect, it } from 'vitest';
import { diagnoseSource } from '../../../src/app/triage/diagnose.ts';
import { aSnapshot, COMPILED_PHRASES, judge } from '../../playbooks/shipped.ts';

const DIED = '    Last State:     Terminated\n      Exit Code:    137\n    Restart Count:  3\n';
const DRY = 'node_memory_MemAvailable_bytes: ~83MB at kill';

async function judged(notes: string) {
  const files = {
    'describe.txt': DIED,
    'metrics.txt': `${DRY}\n${notes}\n`,
    'previous.log': '# killed in the middle of a generation\n',
  };
  const { diagnosis, facts } = await diagnoseSource(aSnapshot(files), { phrases: COMPILED_PHRASES, judge });
  const value = (id: string) => {
    const fact = facts.get(id);
    return fact?.kind === 'known' ? fact.value : undefined;
  };
  return { verdict: diagnosis.verdict, value };
}

describe('kills by the kernel that people noted', () => {
  it.each([
    ['kernel OOM kills at 06:39Z, 08:09Z, 02:09Z', 3],
    ['# two kernel OOM kills that day', 2],
    ['# the server was killed by the OOM killer', 1],
    ['# 3 OOM kills by the kernel', 3],
    ['kernel OOM kills: 0', undefined],
    ['# no kernel OOM kill in dmesg', undefined],
    ['# last week another node had a kernel OOM kill', undefined],
    ['# the probe killed it', undefined],
  ])('%s', async (note, kills) => {
    const { verdict, value } = await judged(note);

    expect(value('log.kills-told')).toBe(kills);
    expect(verdict).toMatchObject({ plane: 'host', cause: 'host.node-pressure', certain: true, causeCertain: false });
  });
});

describe('a change that people noted before the failure', () => {
  it.each([
    ['restarts: 0 -> 3 after the new ReplicaSet', true],
    ['# before the image bump it had 7 GB free', true],
    ['# since the upgrade it dies at night', true],
    ['# there was no roll-out', undefined],
    ['# after the restart it is back', undefined],
  ])('%s', async (note, isNoted) => {
    const { verdict, value } = await judged(note);

    expect(value('log.change-noted')).toBe(isNoted);
    expect(verdict.remedies.some(({ says }) => says.startsWith('Go back to the image'))).toBe(isNoted ?? false);
  });
});

describe('a growth that is told with its end', () => {
  it.each([
    ['process/system becomes unstable or runs out of memory', true],
    ['host memory eventually reaches almost 100%', true],
    ['it never runs out of memory', undefined],
    ['reaches 60 % after a day', undefined],
  ])('%s', async (line, isTold) => {
    const files = { 'previous.log': `long-running workload\nhost memory continuously increases\n${line}\n` };
    const { diagnosis, facts } = await diagnoseSource(aSnapshot(files), { phrases: COMPILED_PHRASES, judge });
    const fact = facts.get('log.ran-out-told');

    expect(fact?.kind === 'known' ? fact.value : undefined).toBe(isTold);
    expect(diagnosis.verdict.finding).toBe('host-grows');
    expect(diagnosis.verdict.remedies.some(({ says }) => says.includes('ran out in the end'))).toBe(isTold ?? false);
  });
});
