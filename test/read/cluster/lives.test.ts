import { describe, expect, it } from 'vitest';
import { readDeath } from '../../../src/read/cluster/death.ts';
import { gatherPod } from '../../../src/read/cluster/gather.ts';
import { readLives } from '../../../src/read/cluster/lives.ts';
import { aPod, ended } from './a-pod.ts';

const H = 3600;

function lives(containerStatus: object) {
  const evidence = gatherPod({ pod: aPod({ containerStatus }) });
  return readLives(evidence, readDeath(evidence));
}

describe('the ages at which a container died', () => {
  it.each([
    [
      'two deaths of one age',
      { restartCount: 1, lastState: ended({ from: 60, to: 6 * H }), state: ended({ from: 6 * H + 60, to: 12 * H }) },
      true,
    ],
    [
      'two of different ages',
      { restartCount: 1, lastState: ended({ from: 60, to: 6 * H }), state: ended({ from: 6 * H + 60, to: 7 * H }) },
      false,
    ],
    [
      'the last one, and one before that lived since the pod was made',
      { restartCount: 2, lastState: ended({ from: 6 * H, to: 12 * H }), state: { running: {} } },
      true,
    ],
    [
      'a last one that lived far longer than the one before',
      { restartCount: 2, lastState: ended({ from: 3 * H, to: 24 * H }), state: { running: {} } },
      false,
    ],
  ])('%s', (_name, status, steady) => {
    expect(lives(status).isSteady).toMatchObject({ kind: 'known', value: steady });
  });

  it('are told with their middle and how far they are off', () => {
    const { usual, spread } = lives({
      restartCount: 1,
      lastState: ended({ from: 0, to: 6 * H }),
      state: ended({ from: 7 * H, to: 7 * H + 5.5 * H }),
    });

    expect(usual).toMatchObject({ value: 5.75 * H });
    expect(spread).toMatchObject({ value: 0.25 * H });
  });

  it.each([
    ['one death', 1, 10, 6 * H],
    ['several, of which restarts tell the number alone', 4, 18 * H, 24 * H],
    ['a short one, of which most was waiting', 2, 600, 660],
  ])('are not known after %s', (_name, restartCount, from, to) => {
    const one = lives({ restartCount, lastState: ended({ from, to }), state: { running: {} } });

    expect(one.isSteady).toMatchObject({ kind: 'unknown' });
    expect(one.usual).toMatchObject({ kind: 'unknown' });
  });
});
