import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findManagers } from '../../../src/actions/owners/find-managers.ts';
import { readHead } from '../../../src/actions/owners/read-object.ts';
import * as given from '../objects.ts';

const ARGO = { annotations: { 'argocd.argoproj.io/tracking-id': 'models:apps/Deployment:llm/vllm' } };
const KUSTOMIZE = {
  'kustomize.toolkit.fluxcd.io/name': 'models',
  'kustomize.toolkit.fluxcd.io/namespace': 'flux-system',
};
const FLUX_HELM = { 'helm.toolkit.fluxcd.io/name': 'models', 'helm.toolkit.fluxcd.io/namespace': 'flux-system' };
const OWNED = {
  ownerReferences: [{ apiVersion: 'x/v1', kind: 'NIMService', name: 'llama', uid: 'u', controller: true }],
};
const VPA = (mode?: string, policies: readonly object[] = []) => ({
  ...given.anObject('autoscaling.k8s.io/v1', 'VerticalPodAutoscaler', 'v'),
  spec: {
    targetRef: { kind: 'Deployment', name: 'vllm' },
    ...(mode && { updatePolicy: { updateMode: mode } }),
    resourcePolicy: { containerPolicies: policies },
  },
});

const managers = ([object, ...surroundings]: readonly unknown[]) => {
  const head = readHead(object);
  return head === undefined ? { hazards: [], keda: [], hpa: undefined } : findManagers(head, surroundings, 'vllm');
};

describe('who would fight back', () => {
  it.each<{ name: string; meta?: Record<string, unknown>; surroundings?: unknown[]; found: Record<string, boolean> }>([
    { name: 'nobody', found: {} },
    {
      name: 'Argo CD with self-heal',
      meta: ARGO,
      surroundings: [given.anApplication(true)],
      found: { 'argo-cd': true },
    },
    { name: 'Argo CD without', meta: ARGO, surroundings: [given.anApplication(false)], found: { 'argo-cd': false } },
    {
      name: 'Argo CD synced by hand',
      meta: ARGO,
      surroundings: [given.anApplication(undefined)],
      found: { 'argo-cd': false },
    },
    { name: 'Argo CD that could not be read', meta: ARGO, found: { 'argo-cd': true } },
    {
      name: 'Argo CD, another application read',
      meta: ARGO,
      surroundings: [given.anApplication(false, 'other')],
      found: { 'argo-cd': true },
    },
    {
      name: 'Argo CD, an application elsewhere',
      meta: { annotations: { 'argocd.argoproj.io/tracking-id': 'team-a_models:apps/Deployment:llm/vllm' } },
      surroundings: [given.anApplication(false)],
      found: { 'argo-cd': false },
    },
    {
      name: 'Argo CD by its label',
      meta: { labels: { 'app.kubernetes.io/instance': 'models' } },
      surroundings: [given.anApplication(true)],
      found: { 'argo-cd': true },
    },
    {
      name: 'an instance of Helm and no application',
      meta: { labels: { 'app.kubernetes.io/instance': 'models', 'app.kubernetes.io/managed-by': 'Helm' } },
      found: { helm: false },
    },
    { name: 'Flux', meta: { labels: KUSTOMIZE }, found: { flux: true } },
    {
      name: 'Flux that is told to leave it',
      meta: { labels: KUSTOMIZE, annotations: { 'kustomize.toolkit.fluxcd.io/reconcile': 'disabled' } },
      found: { flux: false },
    },
    {
      name: 'Flux that is suspended',
      meta: { labels: KUSTOMIZE },
      surroundings: [given.aFluxObject('Kustomization', { suspend: true })],
      found: { flux: false },
    },
    {
      name: 'Flux that is not',
      meta: { labels: KUSTOMIZE },
      surroundings: [given.aFluxObject('Kustomization', { suspend: false })],
      found: { flux: true },
    },
    {
      name: 'a HelmRelease as it comes',
      meta: { labels: FLUX_HELM },
      surroundings: [given.aFluxObject('HelmRelease', {})],
      found: { 'flux-helm': false },
    },
    {
      name: 'a HelmRelease that detects drift',
      meta: { labels: FLUX_HELM },
      surroundings: [given.aFluxObject('HelmRelease', { driftDetection: { mode: 'enabled' } })],
      found: { 'flux-helm': true },
    },
    {
      name: 'a HelmRelease that only warns',
      meta: { labels: FLUX_HELM },
      surroundings: [given.aFluxObject('HelmRelease', { driftDetection: { mode: 'warn' } })],
      found: { 'flux-helm': false },
    },
    {
      name: 'a HelmRelease that could not be read',
      meta: { labels: { ...FLUX_HELM, 'app.kubernetes.io/managed-by': 'Helm' } },
      found: { 'flux-helm': true },
    },
    {
      name: 'a HelmRelease that is suspended',
      meta: { labels: FLUX_HELM },
      surroundings: [given.aFluxObject('HelmRelease', { suspend: true, driftDetection: { mode: 'enabled' } })],
      found: { 'flux-helm': false },
    },
    { name: 'Helm', meta: { annotations: { 'meta.helm.sh/release-name': 'models' } }, found: { helm: false } },
    { name: 'an operator above', meta: OWNED, found: { operator: true } },
    {
      name: 'an operator by its label',
      meta: { labels: { 'app.kubernetes.io/managed-by': 'k8s-nim-operator' } },
      found: { 'managed-by': false },
    },
    { name: 'an HPA', surroundings: [given.anHpa()], found: { hpa: false } },
    {
      name: 'an HPA of another workload',
      surroundings: [given.anHpa('h', { scaleTargetRef: { kind: 'Deployment', name: 'other' } })],
      found: {},
    },
    {
      name: 'KEDA and the HPA that it makes',
      surroundings: [given.aScaledObject(), given.anHpa('keda-hpa-vllm-scaler')],
      found: { keda: false },
    },
    { name: 'a VPA', surroundings: [VPA()], found: { vpa: false } },
    { name: 'a VPA that only recommends', surroundings: [VPA('Off')], found: {} },
    { name: 'a VPA that sets new pods alone', surroundings: [VPA('Initial')], found: { vpa: false } },
    {
      name: 'a VPA that leaves the limits of this container',
      surroundings: [
        VPA('Auto', [{ containerName: 'vllm', controlledValues: 'RequestsOnly' }, { containerName: '*' }]),
      ],
      found: {},
    },
    {
      name: 'a VPA that leaves those of another',
      surroundings: [VPA('Auto', [{ containerName: 'proxy', mode: 'Off' }])],
      found: { vpa: false },
    },
    {
      name: 'a VPA of the CPU',
      surroundings: [VPA('Auto', [{ containerName: '*', controlledResources: ['cpu'] }])],
      found: {},
    },
  ])('$name', ({ meta, surroundings = [], found }) => {
    const { hazards } = managers([given.aDeployment({ meta: meta ?? {} }), ...surroundings]);

    expect(Object.fromEntries(hazards.map(({ id, blocks }) => [id, blocks]))).toEqual(found);
  });

  it('gives what to type where it blocks', () => {
    const says = (meta: Record<string, unknown>): string =>
      managers([given.aDeployment({ meta })]).hazards[0]?.says ?? '';

    expect(says(ARGO)).toContain('argocd app set models --self-heal=false');
    expect(says({ labels: KUSTOMIZE })).toContain('flux suspend kustomization models -n flux-system');
    expect(says({ labels: FLUX_HELM })).toContain('flux suspend helmrelease models -n flux-system');
  });

  it('knows between what an HPA holds the count, and which ScaledObject has to be paused', () => {
    expect(managers([given.aDeployment(), given.anHpa()]).hpa).toEqual({ min: 2, max: 6 });
    expect(managers([given.aDeployment(), given.aScaledObject()]).keda.map(({ ref }) => ref.name)).toEqual([
      'vllm-scaler',
    ]);
    expect(managers([given.aDeployment(), given.aScaledObject({ 'autoscaling.keda.sh/paused': 'true' })]).keda).toEqual(
      [],
    );
  });

  it('never throws', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), fc.jsonValue(), (objects, spec) => {
        managers(objects);
        managers([
          given.aDeployment({ meta: ARGO }),
          { ...given.anApplication(true), spec },
          { ...given.anHpa(), spec },
        ]);
      }),
      { seed: 4, numRuns: 200 },
    );
  });
});

it.each([
  [
    { 'kustomize.toolkit.fluxcd.io/name': 'apps', 'kustomize.toolkit.fluxcd.io/namespace': 'flux-system' },
    ['flux suspend kustomization apps -n flux-system', 'flux resume kustomization apps -n flux-system', 'to Git'],
  ],
  [
    { 'helm.toolkit.fluxcd.io/name': 'models', 'helm.toolkit.fluxcd.io/namespace': 'releases' },
    ['flux suspend helmrelease models -n releases', 'flux resume helmrelease models -n releases', 'to its values'],
  ],
])('what Flux applies is told how to be suspended, changed and resumed: %j', (labels, words) => {
  const { hazards } = managers([given.aDeployment({ meta: { labels } })]);

  expect(hazards).toMatchObject([{ blocks: true }]);
  for (const word of words) expect(hazards[0]?.says).toContain(word);
});
