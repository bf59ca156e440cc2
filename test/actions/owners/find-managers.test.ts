import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findManagers } from '../../../src/actions/owners/find-managers.ts';
import { readHead } from '../../../src/actions/owners/read-object.ts';
import * as given from '../objects.ts';

type Meta = Record<string, unknown>;

const labelled = (labels: Record<string, string>): Meta => ({ labels });
const INSTANCE = { 'app.kubernetes.io/instance': 'models' };
const managedBy = (who: string) => ({ 'app.kubernetes.io/managed-by': who });
const ARGO = { annotations: { 'argocd.argoproj.io/tracking-id': 'models:apps/Deployment:llm/vllm' } };
const KUSTOMIZE = {
  'kustomize.toolkit.fluxcd.io/name': 'models',
  'kustomize.toolkit.fluxcd.io/namespace': 'flux-system',
};
const FLUX_HELM = { 'helm.toolkit.fluxcd.io/name': 'models', 'helm.toolkit.fluxcd.io/namespace': 'flux-system' };
const KUSTOMIZED = labelled(KUSTOMIZE);
const RELEASED = labelled(FLUX_HELM);
const kustomization = (spec: Meta) => given.aFluxObject('Kustomization', spec);
const release = (spec: Meta) => given.aFluxObject('HelmRelease', spec);
const drift = (mode: string) => ({ driftDetection: { mode } });
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
  it.each<[name: string, meta: Meta, surroundings: unknown[], found: Record<string, boolean>]>([
    ['nobody', {}, [], {}],
    ['Argo CD with self-heal', ARGO, [given.anApplication(true)], { 'argo-cd': true }],
    ['Argo CD without', ARGO, [given.anApplication(false)], { 'argo-cd': false }],
    ['Argo CD synced by hand', ARGO, [given.anApplication(undefined)], { 'argo-cd': false }],
    ['Argo CD that could not be read', ARGO, [], { 'argo-cd': true }],
    ['Argo CD, another application read', ARGO, [given.anApplication(false, 'other')], { 'argo-cd': true }],
    [
      'Argo CD, an application elsewhere',
      { annotations: { 'argocd.argoproj.io/tracking-id': 'team-a_models:apps/Deployment:llm/vllm' } },
      [given.anApplication(false)],
      { 'argo-cd': false },
    ],
    ['Argo CD by its label', labelled(INSTANCE), [given.anApplication(true)], { 'argo-cd': true }],
    ['an instance of Helm and no application', labelled({ ...INSTANCE, ...managedBy('Helm') }), [], { helm: false }],
    ['Flux', KUSTOMIZED, [], { flux: true }],
    [
      'Flux that is told to leave it',
      { labels: KUSTOMIZE, annotations: { 'kustomize.toolkit.fluxcd.io/reconcile': 'disabled' } },
      [],
      { flux: false },
    ],
    ['Flux that is suspended', KUSTOMIZED, [kustomization({ suspend: true })], { flux: false }],
    ['Flux that is not', KUSTOMIZED, [kustomization({ suspend: false })], { flux: true }],
    ['a HelmRelease as it comes', RELEASED, [release({})], { 'flux-helm': false }],
    ['a HelmRelease that detects drift', RELEASED, [release(drift('enabled'))], { 'flux-helm': true }],
    ['a HelmRelease that only warns', RELEASED, [release(drift('warn'))], { 'flux-helm': false }],
    [
      'a HelmRelease that could not be read',
      labelled({ ...FLUX_HELM, ...managedBy('Helm') }),
      [],
      { 'flux-helm': true },
    ],
    [
      'a HelmRelease that is suspended',
      RELEASED,
      [release({ suspend: true, ...drift('enabled') })],
      { 'flux-helm': false },
    ],
    ['Helm', { annotations: { 'meta.helm.sh/release-name': 'models' } }, [], { helm: false }],
    ['an operator above', OWNED, [], { operator: true }],
    ['an operator by its label', labelled(managedBy('k8s-nim-operator')), [], { 'managed-by': false }],
    ['an HPA', {}, [given.anHpa()], { hpa: false }],
    [
      'an HPA of another workload',
      {},
      [given.anHpa('h', { scaleTargetRef: { kind: 'Deployment', name: 'other' } })],
      {},
    ],
    [
      'KEDA and the HPA that it makes',
      {},
      [given.aScaledObject(), given.anHpa('keda-hpa-vllm-scaler')],
      { keda: false },
    ],
    ['a VPA', {}, [VPA()], { vpa: false }],
    ['a VPA that only recommends', {}, [VPA('Off')], {}],
    ['a VPA that sets new pods alone', {}, [VPA('Initial')], { vpa: false }],
    [
      'a VPA that leaves the limits of this container',
      {},
      [VPA('Auto', [{ containerName: 'vllm', controlledValues: 'RequestsOnly' }, { containerName: '*' }])],
      {},
    ],
    [
      'a VPA that leaves those of another',
      {},
      [VPA('Auto', [{ containerName: 'proxy', mode: 'Off' }])],
      { vpa: false },
    ],
    ['a VPA of the CPU', {}, [VPA('Auto', [{ containerName: '*', controlledResources: ['cpu'] }])], {}],
  ])('%s', (_name, meta, surroundings, found) => {
    const { hazards } = managers([given.aDeployment({ meta }), ...surroundings]);

    expect(Object.fromEntries(hazards.map(({ id, blocks }) => [id, blocks]))).toEqual(found);
  });

  it('gives what to type where it blocks', () => {
    const says = (meta: Meta): string => managers([given.aDeployment({ meta })]).hazards[0]?.says ?? '';

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
