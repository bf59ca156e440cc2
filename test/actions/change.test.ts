import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diffJson, joinChanges, setField } from '../../src/actions/change.ts';
import { applyPatch } from '../../src/model/json-patch.ts';

const apply = (doc: unknown, patch: Parameters<typeof applyPatch>[1]): unknown => {
  const done = applyPatch(doc, patch);
  return done.kind === 'applied' ? done.value : done.why;
};

describe('setting a field', () => {
  it.each<[name: string, object: unknown, path: string, to: unknown, after: unknown]>([
    ['from one value to another', { a: { b: 1 } }, '/a/b', 2, { a: { b: 2 } }],
    ['that is not there', { a: {} }, '/a/b', 2, { a: { b: 2 } }],
    ['whose parents are not there', {}, '/a/b/c', 2, { a: { b: { c: 2 } } }],
    ['that goes', { a: { b: 1 } }, '/a/b', undefined, { a: {} }],
  ])('%s goes there and back', (_name, object, path, to, after) => {
    const { patch, inverse } = setField(object, path, to);

    expect(apply(object, patch)).toEqual(after);
    expect(apply(after, inverse)).toEqual(object);
    expect(applyPatch(after, patch).kind).toBe('failed');
    expect(applyPatch(object, inverse).kind).toBe('failed');
  });

  it('is nothing where the value stands there', () => {
    expect(setField({ a: 1 }, '/a', 1)).toEqual({ patch: [], inverse: [] });
    expect(setField({}, '/a', undefined)).toEqual({ patch: [], inverse: [] });
  });

  it('keeps the annotations that others have put into a map of ours', () => {
    const { patch, inverse } = setField({ metadata: {} }, '/metadata/annotations/a~1b', '0');
    const theirs = apply(apply({ metadata: {} }, patch), [{ op: 'add', path: '/metadata/annotations/c', value: '1' }]);

    expect(apply(theirs, inverse)).toEqual({ metadata: { annotations: { c: '1' } } });
  });

  it('overwrites nothing that came in between', () => {
    const { patch } = setField({}, '/a', 1);

    expect(applyPatch({ a: 7 }, patch).kind).toBe('failed');
  });

  it('goes back from the last of several to the first', () => {
    const changes = [setField({ n: 1 }, '/n', 2), setField({ n: 2 }, '/n', 3)];

    expect(apply({ n: 3 }, joinChanges(changes).inverse)).toEqual({ n: 1 });
  });
});

describe('the difference of two values', () => {
  it('leads there and back, whatever they are', () => {
    // JSON has no undefined, and a test for null passes where nothing is.
    const value = fc
      .jsonValue({ maxDepth: 3 })
      .map((one) => JSON.parse(JSON.stringify(one).replaceAll('null', '0')) as unknown);
    fc.assert(
      fc.property(value, value, (before, after) => {
        const { patch, inverse } = diffJson({ x: before }, { x: after }, '');

        expect(apply({ x: before }, patch)).toEqual({ x: after });
        expect(apply({ x: after }, inverse)).toEqual({ x: before });
      }),
      { seed: 4, numRuns: 300 },
    );
  });

  it('touches only what differs', () => {
    const before = {
      containers: [
        { name: 'a', image: '1' },
        { name: 'b', image: '1' },
      ],
    };
    const after = {
      containers: [
        { name: 'a', image: '1' },
        { name: 'b', image: '2' },
      ],
    };

    expect(diffJson(before, after, '/spec').patch.map(({ path }) => path)).toEqual([
      '/spec/containers/1/image',
      '/spec/containers/1/image',
    ]);
  });
});
