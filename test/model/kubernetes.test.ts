import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Autoscalers } from '../../src/model/autoscalers.ts';
import { EventsFile, OwnersFile, parseJsonFile, RevisionsFile, SiblingsFile } from '../../src/model/json-file.ts';
import { Node, Pod, PodMetrics } from '../../src/model/kubernetes.ts';

describe('a JSON file of a cluster', () => {
  it.each([
    ['', 'empty'],
    ['  \n', 'empty'],
    ['{', 'failed'],
    ['[]', 'failed'],
    ['null', 'failed'],
    ['"pod"', 'failed'],
  ])('%j is no pod', (text, reason) => {
    expect(parseJsonFile(Pod, text)).toMatchObject({ kind: 'bad', reason });
  });

  it('keeps fields that are not named, and drops odd values without a fault', () => {
    const pod = parseJsonFile(
      Pod,
      JSON.stringify({
        metadata: { name: 7, namespace: 'ai', labels: { app: 'vllm', odd: 3 } },
        spec: { nodeName: null, containers: 'none', newField: { a: 1 } },
        status: { containerStatuses: [null, { name: 'vllm', restartCount: '3', lastState: { terminated: [] } }] },
      }),
    );

    expect(pod).toMatchObject({
      kind: 'value',
      value: {
        metadata: { name: undefined, namespace: 'ai', labels: { app: 'vllm', odd: '' } },
        spec: { nodeName: undefined, containers: undefined, newField: { a: 1 } },
        status: { containerStatuses: [{}, { name: 'vllm', restartCount: undefined, lastState: {} }] },
      },
    });
  });

  it.each([
    ['a plain array', [{ reason: 'Killing' }, 3, { reason: 'Unhealthy' }], ['/0', '/1', '/2']],
    ['a List of kubectl', { kind: 'List', items: [{ reason: 'Killing' }] }, ['/items/0']],
  ])('keeps the place of each event: %s', (_, raw, paths) => {
    const file = parseJsonFile(EventsFile, JSON.stringify(raw));

    expect(file.kind === 'value' && file.value.map(({ path }) => path)).toEqual(paths);
  });

  it('never throws, whatever JSON it meets', () => {
    const schemas = [Pod, Node, Autoscalers, PodMetrics, EventsFile, OwnersFile, SiblingsFile, RevisionsFile];
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), fc.string(), (json, text) => {
        for (const schema of schemas) {
          expect(['value', 'bad']).toContain(parseJsonFile(schema, json).kind);
          expect(['value', 'bad']).toContain(parseJsonFile(schema, text).kind);
        }
      }),
      { numRuns: 150, seed: 11 },
    );
  });
});
