import { describe, expect, it } from 'vitest';
import { authorOf, lastWriteAfter, readAuthors } from '../../src/kubernetes/collect/rollout-author.ts';

const AT = '2026-01-15T02:00:00Z';
const wrote = (manager: string, time: string, spec: object = { 'f:template': {} }) => ({
  manager,
  operation: 'Update',
  time,
  fieldsV1: { 'f:spec': spec },
});
const by = (managedFields: readonly object[], metadata: object = {}) =>
  authorOf(readAuthors({ metadata: { ...metadata, managedFields } }), AT);

describe('who made a rollout', () => {
  it.each([
    ['helm', 'helm'],
    ['argocd-controller', 'Argo CD'],
    ['kustomize-controller', 'Flux'],
    ['kubectl-client-side-apply', 'kubectl'],
    ['vpa-updater', 'VerticalPodAutoscaler'],
    ['my-operator', 'my-operator'],
  ])('is %s by the manager of the pod template', (manager, name) => {
    expect(by([wrote(manager, AT)])).toBe(name);
  });

  it.each([
    [
      'of several the one that wrote at that time',
      [wrote('helm', '2026-01-14T02:00:00Z'), wrote('kubectl-edit', AT)],
      {},
      'kubectl',
    ],
    [
      'nobody where several wrote at other times',
      [wrote('helm', '2026-01-14T02:00:00Z'), wrote('a', '2026-01-13T02:00:00Z')],
      {},
      undefined,
    ],
    ['nobody who wrote only the count', [wrote('hpa', AT, { 'f:replicas': {} })], {}, undefined],
    ['who manages it by its label', [], { labels: { 'app.kubernetes.io/managed-by': 'Helm' } }, 'helm'],
    ['Argo CD by its mark', [], { annotations: { 'argocd.argoproj.io/tracking-id': 'a:b' } }, 'Argo CD'],
    ['nobody where nothing tells', [], {}, undefined],
  ])('is %s', (_name, fields, metadata, name) => {
    expect(by(fields, metadata)).toBe(name);
  });

  it.each([
    [
      'the last write of the template after the revision before it',
      [AT, '2026-01-15T02:40:00Z'],
      '2026-01-15T02:40:00.000Z',
    ],
    ['unknown where all wrote before that revision', [AT], undefined],
    ['unknown where nobody is named', [], undefined],
  ])('of a revision that was rolled back to: its time is %s', (_name, times, time) => {
    const authors = readAuthors({ metadata: { managedFields: times.map((one) => wrote('kubectl', one)) } });

    expect(lastWriteAfter(authors, '2026-01-15T02:30:00Z')).toBe(time);
    expect(lastWriteAfter(authors, undefined)).toBeUndefined();
  });

  it('survives anything', () => {
    for (const odd of [null, 'x', {}, { metadata: 1 }, { metadata: { managedFields: [{}] } }]) {
      expect(authorOf(readAuthors(odd), AT)).toBeUndefined();
    }
  });
});
