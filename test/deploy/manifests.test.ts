import { readdirSync, readFileSync } from 'node:fs';
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

describe('the optional way in for alerts', () => {
  const [service, policy] = manifestsIn('optional/alerts.example.yaml').map(({ spec }) => spec) as unknown as [
    { selector: object; ports: { name: string; port: number; targetPort: string }[] },
    { podSelector: { matchLabels: object }; ingress: { from: object[]; ports: { port: string }[] }[] },
  ];
  const pod = (manifests.find(({ kind }) => kind === 'Deployment') as unknown as PodOwner).spec.template;

  it('leads to named ports of the pods, from one namespace alone, and is in no installation', () => {
    const named = pod.spec.containers.flatMap(({ ports }) => ports.map((port) => `${port.name} ${port.containerPort}`));

    expect(service.ports.map(({ targetPort, port }) => `${targetPort} ${port}`).toSorted()).toEqual(named.toSorted());
    expect([service.selector, policy.podSelector.matchLabels]).toEqual([pod.metadata.labels, pod.metadata.labels]);
    expect(policy.ingress.map(({ from }) => from.map((one) => Object.keys(one)))).toEqual([[['namespaceSelector']]]);
    expect(policy.ingress[0]?.ports.map(({ port }) => port)).toEqual(service.ports.map(({ name }) => name));
    expect(kustomization.resources.join()).not.toContain('alerts');
  });

  it('is where the configuration and the page about monitoring say', () => {
    const page = readFileSync(join(FOLDER, '../../docs/monitoring.md'), 'utf8');
    const written = manifestText('config.yaml').replace(/^# /gm, '');
    const { alerts } = parse(written.slice(written.indexOf('alerts:'))) as { alerts: Record<string, unknown> };
    const mount = pod.spec.containers[0]?.volumeMounts.find(({ name }) => name === 'alerts')?.mountPath;
    const volume = pod.spec.volumes.find(({ name }) => name === 'alerts');

    expect(alerts).toEqual({ port: service.ports[0]?.port, bearerTokenFile: `${mount}/token` });
    expect(page).toContain(`url: http://oombot.oombot:${alerts.port}/v1/alerts`);
    expect(page).toContain(`bearerTokenFile: ${alerts.bearerTokenFile}`);
    // The bot also starts without it.
    expect(volume?.secret).toEqual({ secretName: 'oombot-alerts', optional: true });
  });
});

type PodOwner = {
  readonly spec: {
    readonly template: {
      readonly metadata: { readonly labels: object };
      readonly spec: {
        readonly containers: readonly {
          readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
          readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
        }[];
        readonly volumes: readonly { readonly name: string; readonly secret?: object }[];
      };
    };
  };
};
