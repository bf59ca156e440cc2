import { describe, expect, it } from 'vitest';
import { partCures } from '../../../src/read/metrics/cures.ts';

const limit = (size: string) => `resources:\n  limits:\n    memory: ${size}`;
const lines = (text: string) => text.split('\n').filter((line) => line !== '');

describe('what people set afterwards', () => {
  it.each([
    ['a head that says so', `before:  resources: {}\nafter (works):\n${limit('48Gi')}`, 1, 4],
    ['the side without a word, where the other has one', `before:\n${limit('8Gi')}\nafter:\n${limit('48Gi')}`, 4, 4],
    ['the cure first', `fixed with:\n${limit('48Gi')}\nfails:\n${limit('8Gi')}`, 4, 4],
    ['up to a gap', `works with:\n${limit('48Gi')}\n\nState: Terminated`, 1, 4],
    ['what worked before a change', `before (worked):\n${limit('48Gi')}\nafter the upgrade:\n${limit('48Gi')}`, 4, 4],
    ['a side whose pair is missing', `after:\n${limit('48Gi')}`, 4, 0],
    ['what did not work either', `did not work:\n${limit('48Gi')}`, 4, 0],
    [
      'fields of Kubernetes',
      'Containers:\n  vllm:\n    State: Running\n      Started: Tue, 3 Mar\n    Ready: True',
      5,
      0,
    ],
    ['arguments with such words', '--model=works/fixed\nworkingDir: /app', 2, 0],
  ])('%s', (_, text, failed, cures) => {
    const parted = partCures(text);

    expect(lines(parted.failed)).toHaveLength(failed);
    expect(lines(parted.cures)).toHaveLength(cures);
    expect(parted.failed.split('\n')).toHaveLength(text.split('\n').length);
  });
});
