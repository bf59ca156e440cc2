import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyPatch, isSameJson, readPointer, toPointer, valueAt } from '../../src/model/json-patch.ts';
import type { PatchOperation } from '../../src/model/plan.ts';

const DOC = { a: { 'b/c': 1, 'd~e': null, '': 0 }, list: ['x', 'y', { k: 'v' }], same: { one: 1, two: 2 } };

describe('a JSON Patch', () => {
  it.each<[name: string, operation: PatchOperation, path: string, after: unknown]>([
    ['replaces a value', { op: 'replace', path: '/list/1', value: 'z' }, '/list', ['x', 'z', { k: 'v' }]],
    ['replaces under an escaped slash', { op: 'replace', path: '/a/b~1c', value: 2 }, '/a/b~1c', 2],
    ['replaces a null under an escaped tilde', { op: 'replace', path: '/a/d~0e', value: 3 }, '/a/d~0e', 3],
    ['knows the empty key', { op: 'replace', path: '/a/', value: 4 }, '/a/', 4],
    ['adds a key', { op: 'add', path: '/new', value: true }, '/new', true],
    ['adds over a key', { op: 'add', path: '/same', value: 1 }, '/same', 1],
    ['adds inside a list', { op: 'add', path: '/list/1', value: 'n' }, '/list', ['x', 'n', 'y', { k: 'v' }]],
    ['adds at the end by a dash', { op: 'add', path: '/list/-', value: 'n' }, '/list/3', 'n'],
    ['adds at the end by the length', { op: 'add', path: '/list/3', value: 'n' }, '/list/3', 'n'],
    ['removes a key', { op: 'remove', path: '/same/one' }, '/same', { two: 2 }],
    ['removes from a list', { op: 'remove', path: '/list/0' }, '/list', ['y', { k: 'v' }]],
    ['tests deep, keys in any order', { op: 'test', path: '/same', value: { two: 2, one: 1 } }, '', DOC],
    ['tests a null', { op: 'test', path: '/a/d~0e', value: null }, '', DOC],
    ['tests that a key is not there', { op: 'test', path: '/a/nothing', value: null }, '', DOC],
    ['replaces the whole', { op: 'replace', path: '', value: [] }, '', []],
    ['adds a key that looks like a prototype', { op: 'add', path: '/__proto__', value: 1 }, '/__proto__', 1],
  ])('%s', (_name, operation, path, after) => {
    const before = structuredClone(DOC);

    const outcome = applyPatch(DOC, [operation]);

    expect(outcome.kind).toBe('applied');
    expect(valueAt(outcome.kind === 'applied' && outcome.value, path)).toEqual(after);
    expect(DOC).toEqual(before);
  });

  it.each<[name: string, operation: PatchOperation]>([
    ['a test of another value', { op: 'test', path: '/list', value: ['y', 'x', { k: 'v' }] }],
    ['a test of what is not there', { op: 'test', path: '/nothing', value: 1 }],
    ['a test for null where something is', { op: 'test', path: '/same', value: null }],
    ['a test for null under what is not there', { op: 'test', path: '/nothing/deep', value: null }],
    ['a test for null behind the end of a list', { op: 'test', path: '/list/3', value: null }],
    ['a test that knows fewer keys', { op: 'test', path: '/same', value: { one: 1 } }],
    ['a replace of what is not there', { op: 'replace', path: '/nothing', value: 1 }],
    ['a remove of what is not there', { op: 'remove', path: '/a/nothing' }],
    ['a remove of the whole', { op: 'remove', path: '' }],
    ['a dash where something is read', { op: 'replace', path: '/list/-', value: 1 }],
    ['an index with a leading zero', { op: 'replace', path: '/list/01', value: 1 }],
    ['an index behind the end', { op: 'add', path: '/list/4', value: 1 }],
    ['a child of a string', { op: 'add', path: '/list/0/x', value: 1 }],
    ['a pointer without its slash', { op: 'add', path: 'a', value: 1 }],
    ['a pointer with a lone tilde', { op: 'add', path: '/a~', value: 1 }],
    ['what only the prototype has', { op: 'replace', path: '/constructor', value: 1 }],
  ])('fails at %s', (_name, operation) => {
    const outcome = applyPatch(DOC, [{ op: 'add', path: '/ok', value: 1 }, operation]);

    expect(outcome).toMatchObject({ kind: 'failed', at: 1 });
    expect(DOC).not.toHaveProperty('ok');
  });

  it('reads back every pointer it writes, and finds the value there', () => {
    fc.assert(
      fc.property(fc.array(fc.string(), { maxLength: 5 }), fc.jsonValue(), (parts, value) => {
        const doc = parts.reduceRight<unknown>((inner, part) => ({ [part]: inner }), value);

        expect(readPointer(toPointer(parts))).toEqual(parts);
        expect(isSameJson(valueAt(doc, toPointer(parts)), value)).toBe(true);
      }),
      { seed: 4, numRuns: 200 },
    );
  });

  it('never throws, whatever it is given', () => {
    const path = fc.oneof(fc.string(), fc.constantFrom('', '/', '/0', '/-', '/a/b', '/__proto__/x'));
    const operation = fc.record({
      op: fc.constantFrom('test', 'add', 'replace', 'remove'),
      path,
      value: fc.jsonValue(),
    });
    fc.assert(
      fc.property(fc.jsonValue(), fc.array(operation, { maxLength: 4 }), (doc, operations) => {
        expect(['applied', 'failed']).toContain(applyPatch(doc, operations as PatchOperation[]).kind);
      }),
      { seed: 4, numRuns: 300 },
    );
  });
});
