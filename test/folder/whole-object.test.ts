import { describe, expect, it } from 'vitest';
import { wholeObject } from '../../src/folder/whole-object.ts';

const pod = (phase: string) => ({ kind: 'Pod', status: { phase } });
const statuses = { containerStatuses: [{ name: 'vllm' }] };

describe('the one object of a text', () => {
  it.each([
    ['a pod', JSON.stringify(pod('Running')), pod('Running')],
    ['a list of one', JSON.stringify({ kind: 'List', items: [pod('Failed')] }), pod('Failed')],
    ['a list of two stays one', JSON.stringify({ kind: 'PodList', items: [1, 2] }), { kind: 'PodList', items: [1, 2] }],
    ['an event of a watch', JSON.stringify({ type: 'MODIFIED', object: pod('Failed') }), pod('Failed')],
    [
      'the last event of several, the cut one left out',
      `${['Pending', 'Failed'].map((phase) => JSON.stringify({ type: 'ADDED', object: pod(phase) })).join('\n')}\n{"type":"MOD`,
      pod('Failed'),
    ],
    ['a fragment of the status', JSON.stringify(statuses), { status: statuses }],
    ['a fragment of the spec', JSON.stringify({ containers: [] }), { spec: { containers: [] } }],
  ])('%s', (_, text, object) => {
    expect(JSON.parse(wholeObject(text))).toEqual(object);
  });

  it('is the text itself where it is no JSON', () => {
    expect(wholeObject('{"kind":')).toBe('{"kind":');
  });
});
