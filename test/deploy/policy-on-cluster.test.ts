import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { onRealCluster, openRealCluster, type RealAnswer } from '../kubernetes/real-cluster.ts';
import { readPolicy } from './policy.ts';
import { ACT, ALLOWED, type Change, DENIED, resourceOf } from './policy-rows.ts';

const ADMISSION = '/apis/admissionregistration.k8s.io/v1';

onRealCluster('the admission policy on a real cluster', (kubeconfig) => {
  describe('the admission policy of oombot-act, on a real cluster', () => {
    let stage: Awaited<ReturnType<typeof stagePolicy>>;
    beforeAll(async () => {
      stage = await stagePolicy(kubeconfig);
    }, 60_000);
    afterAll(() => stage.close());

    it.for(ALLOWED)('lets pass: %s', async ([, change], { skip }) => {
      const answer = await stage.tryOut(change);

      if (answer === null) return skip('the cluster has no such kind');
      expect(answer.status, answer.text).toBeLessThan(300);
    });

    it.for(DENIED)('stops: %s', async ([, change], { skip }) => {
      const answer = await stage.tryOut(change);

      if (answer === null) return skip('the cluster has no such kind');
      expect(answer.status, answer.text).toBeGreaterThanOrEqual(400);
    });

    it('says which of its rules a write is against', async () => {
      const image = DENIED.find(([what]) => what === 'an image')![1];

      const answer = await stage.tryOut(image);

      expect(answer?.text).toContain('of a container only command, args, env and memory may change');
    });
  });
});

/** The shipped policy for an account of a fresh namespace that may do anything in it: what is stopped, the policy stops. */
async function stagePolicy(file: string) {
  const real = await openRealCluster(file);
  const { namespace, ask, send, settle } = real;
  const account = `system:serviceaccount:${namespace}:oombot-act`;
  const policy = JSON.parse(JSON.stringify(readPolicy()).replaceAll(ACT, account));
  const shipped = { apiVersion: 'admissionregistration.k8s.io/v1', metadata: { name: namespace } };
  await send('POST', `${ADMISSION}/validatingadmissionpolicies`, {
    ...shipped,
    kind: 'ValidatingAdmissionPolicy',
    spec: policy,
  });
  await send('POST', `${ADMISSION}/validatingadmissionpolicybindings`, {
    ...shipped,
    kind: 'ValidatingAdmissionPolicyBinding',
    spec: { policyName: namespace, validationActions: ['Deny'] },
  });
  await send('POST', `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}/rolebindings`, {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: { name: 'all' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ kind: 'ServiceAccount', name: 'oombot-act', namespace }],
  });
  const asActing = { 'impersonate-user': account };
  let made = 0;

  const folderOf = (apiVersion: string, resource: string): string =>
    `${apiVersion === 'v1' ? '/api/v1' : `/apis/${apiVersion}`}/namespaces/${namespace}/${resource}`;

  /** The answer to a write that is not kept; null where the cluster does not know the kind. */
  const tryOut = async (change: Change): Promise<RealAnswer | null> => {
    if (change.kind === 'create') {
      const { object, resource, group } = change;
      const apiVersion = group === '' ? 'v1' : `${group}/v1`;
      const manifest = { ...object, apiVersion, metadata: { name: object.metadata.name, namespace } };
      return ask('POST', `${folderOf(apiVersion, resource)}?dryRun=All`, manifest, asActing);
    }
    const { old, patch, subresource } = change;
    const folder = folderOf(old.apiVersion, resourceOf(old));
    const name = `row-${made++}`;
    const { labels, annotations } = old.metadata;
    const { status: _status, ...rest } = old;
    const before = await ask('POST', folder, { ...rest, metadata: { name, namespace, labels, annotations } });
    if (before.status === 404) return null;
    if (before.status >= 300) throw new Error(before.text);
    const path = `${folder}/${name}${subresource === undefined ? '' : `/${subresource}`}?dryRun=All`;
    return ask('PATCH', path, patch, { ...asActing, 'content-type': 'application/json-patch+json' });
  };

  // A policy is in force some time after it was made.
  await settle(async () => {
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'not-yet' } };
    return (await ask('POST', `${folderOf('v1', 'secrets')}?dryRun=All`, secret, asActing)).status >= 400;
  });
  return {
    tryOut,
    async close() {
      await send('DELETE', `${ADMISSION}/validatingadmissionpolicybindings/${namespace}`);
      await send('DELETE', `${ADMISSION}/validatingadmissionpolicies/${namespace}`);
      await real.close();
    },
  };
}
