import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { loadConfig } from '../../src/config.ts';
import { manifestsIn, manifestText } from './policy.ts';

const FOLDER = join(import.meta.dirname, '../../deploy/kubernetes');

const kustomization = parse(manifestText('kustomization.yaml')) as {
  resources: string[];
  configMapGenerator: { files: string[] }[];
};
const manifests = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.yaml') && !['kustomization.yaml', 'config.yaml'].includes(name))
  .flatMap(manifestsIn);
const rules = manifests.flatMap(({ rules: found = [] }) => found);

describe('the read-only installation', () => {
  it('names only files that are there', () => {
    const there = readdirSync(FOLDER);

    const named = [...kustomization.resources, ...kustomization.configMapGenerator.flatMap(({ files }) => files)];

    expect(named.filter((name) => !there.includes(name))).toEqual([]);
  });

  it('reads and never writes', () => {
    const verbs = new Set(rules.flatMap((rule) => rule.verbs));

    expect([...verbs].toSorted()).toEqual(['get', 'list']);
  });

  it.each(['secrets', 'pods/exec', 'pods/attach', 'pods/proxy', 'nodes/proxy', 'configmaps', '*'])(
    'asks for no %s',
    (resource) => {
      expect(
        rules.filter(({ resources, apiGroups }) => resources.includes(resource) || apiGroups.includes('*')),
      ).toEqual([]);
    },
  );

  it('runs one pod without rights on its node', () => {
    const deployment = JSON.stringify(manifests.find(({ kind }) => kind === 'Deployment'));

    expect(JSON.parse(deployment).spec).toMatchObject({ replicas: 1, strategy: { type: 'Recreate' } });
    expect(deployment).toContain('"runAsNonRoot":true');
    expect(deployment).toContain('"readOnlyRootFilesystem":true');
    expect(deployment).not.toContain('hostPath');
  });

  it('gives probes more than a second, bounds its scratch space, and lets nobody in', () => {
    const pod = manifests.find(({ kind }) => kind === 'Deployment') as never as {
      spec: {
        template: {
          spec: { containers: Record<string, { timeoutSeconds?: number }>[]; volumes: { emptyDir?: object }[] };
        };
      };
    };
    const { containers, volumes } = pod.spec.template.spec;
    const probes = containers.flatMap((one) => [one.livenessProbe, one.readinessProbe]);
    const policy = manifests.find(({ kind }) => kind === 'NetworkPolicy');

    expect(probes.filter((probe) => !((probe?.timeoutSeconds ?? 1) > 2))).toEqual([]);
    expect(volumes.filter(({ emptyDir }) => emptyDir !== undefined && !('sizeLimit' in emptyDir))).toEqual([]);
    expect(policy?.spec).toMatchObject({ policyTypes: ['Ingress', 'Egress'], ingress: [] });
    expect(kustomization.resources).toContain('network-policy.yaml');
  });

  it('comes with a configuration that is sound', () => {
    const outcome = loadConfig({
      env: {},
      file: 'config.yaml',
      readFile: (path) => (path === 'config.yaml' ? manifestText('config.yaml') : undefined),
    });

    expect(outcome).toMatchObject({ kind: 'ok' });
  });
});

describe('the optional rights', () => {
  it.each([
    ['optional/read-proxy.example.yaml', ['pods/proxy'], ['create', 'get']],
    ['optional/watch-pods.example.yaml', ['pods'], ['watch']],
    ['optional/watch-lease.yaml', ['leases'], ['create', 'get', 'update']],
    ['acting/act-gitops.example.yaml', ['applications', 'helmreleases', 'kustomizations'], ['get']],
    ['acting/act-runtimes.example.yaml', ['clusterservingruntimes'], ['get']],
    ['read-supply.example.yaml', ['nodes', 'pods', 'resourceclaims', 'resourceslices'], ['list']],
  ])('of %s are no more than these, bound, and in no installation', (name, resources, verbs) => {
    const found = manifestsIn(name);
    const granted = found.flatMap(({ rules: own = [] }) => own);
    const [role, binding] = found;

    expect([...new Set(granted.flatMap((rule) => rule.resources))].toSorted()).toEqual(resources);
    expect([...new Set(granted.flatMap((rule) => rule.verbs))].toSorted()).toEqual(verbs);
    expect(binding?.roleRef?.name).toBe(role?.metadata.name);
    expect(kustomization.resources).not.toContain(name);
  });

  it('the Lease of the watch is one, in the namespace of the bot', () => {
    const [role, binding] = manifestsIn('optional/watch-lease.yaml');

    expect([role?.metadata.namespace, binding?.metadata.namespace]).toEqual(['oombot', 'oombot']);
    expect(role?.rules?.filter(({ verbs }) => !verbs.includes('create')).map((rule) => rule.resourceNames)).toEqual([
      ['oombot-watch'],
    ]);
  });
});
