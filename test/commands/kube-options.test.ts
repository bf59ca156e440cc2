import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { namespaceOfContext, withKubeOptions } from '../../src/commands/kube-options.ts';
import { loadConfig } from '../../src/config.ts';
import { oomKilledWorld, SCENARIO_POD } from '../../src/standins/scenarios/scenarios.ts';
import { runOom } from '../fakes/terminal.ts';
import { type Stage, setStage } from '../whole/stage.ts';

const folder = mkdtempSync(join(tmpdir(), 'oom-kube-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function kubeconfig(name: string, server: string, ...contexts: readonly (readonly [string, string?])[]): string {
  const path = join(folder, name);
  const clusters = contexts.map(([context]) => `- { name: ${context}, cluster: { server: "${server}" } }`);
  const users = contexts.map(([context]) => `- { name: ${context}, user: {} }`);
  const rows = contexts.map(([context, namespace]) => {
    const own = namespace === undefined ? '' : `, namespace: ${namespace}`;
    return `- { name: ${context}, context: { cluster: ${context}, user: ${context}${own} } }`;
  });
  const text = ['apiVersion: v1', 'kind: Config', 'clusters:', ...clusters, 'users:', ...users, 'contexts:', ...rows];
  writeFileSync(path, [...text, `current-context: ${contexts[0]?.[0]}`].join('\n'));
  return path;
}

const DOWN = 'http://127.0.0.1:1';

describe('--kubeconfig, --context and -n', () => {
  let stage: Stage;
  beforeEach(async () => {
    stage = await setStage(oomKilledWorld(Date.now()));
  });
  afterEach(() => stage.close());
  const triage = (...words: string[]) => runOom(['triage', ...words, '--no-store', '-o', 'json']);

  it('name another cluster than the configuration', async () => {
    const own = kubeconfig('own', stage.api.url, ['own', SCENARIO_POD.namespace]);
    const file = join(folder, 'down.yaml');
    writeFileSync(
      file,
      `clusters: [{ name: down, kubeconfig: ${kubeconfig('down', DOWN, ['down'])} }]\nlogLevel: silent\n`,
    );

    const { code, out } = await triage(SCENARIO_POD.pod, '--kubeconfig', own, '--config', file);

    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ plane: 'host' });
  });

  it('take a context of a list of files', async () => {
    const list = `${kubeconfig('a', DOWN, ['a'])}:${kubeconfig('b', stage.api.url, ['b'])}`;

    const { code } = await triage(
      SCENARIO_POD.pod,
      '-n',
      SCENARIO_POD.namespace,
      '--kubeconfig',
      list,
      '--context',
      'b',
    );
    const unknown = await triage(SCENARIO_POD.pod, '--kubeconfig', list, '--context', 'c');

    expect(code).toBe(0);
    expect(unknown).toMatchObject({ code: 2 });
    expect(unknown.err).toMatch(/no context .c/);
  });

  it('take the namespace of the context first, and then look in all', async () => {
    const other = kubeconfig('other', stage.api.url, ['other', 'elsewhere']);

    expect((await triage(SCENARIO_POD.pod, '--kubeconfig', other)).code).toBe(0);
    expect((await triage(SCENARIO_POD.pod, '--kubeconfig', other, '-n', 'elsewhere')).code).toBe(3);
  });

  it('collect writes a tar that diagnose reads, and no second time', async () => {
    const tar = join(folder, 'incident.tar.gz');
    const words = ['--config', stage.file, 'collect', `${SCENARIO_POD.namespace}/${SCENARIO_POD.pod}`, '-o', tar];

    const [first, second] = [await runOom(words), await runOom(words)];

    expect([first.code, second.code]).toEqual([0, 2]);
    expect(second.err).toContain('exists already');
    expect(JSON.parse((await runOom(['diagnose', tar, '-o', 'json'])).out)).toMatchObject({
      id: 'incident',
      plane: 'host',
    });
  });
});

describe('the clusters of a command', () => {
  const YAML = 'clusters: [{ name: prod, kubeconfig: KUBE, prometheus: { url: "http://p:1" } }, { name: dev }]';
  const configOf = (kube: string) => {
    const outcome = loadConfig({ env: {}, file: 'x', readFile: () => YAML.replace('KUBE', kube) });
    if (outcome.kind === 'bad') throw new Error('bad');
    return outcome.config;
  };
  const kube = kubeconfig('several', DOWN, ['prod', 'llm'], ['staging', 'rag']);
  const chosen = (options: Parameters<typeof withKubeOptions>[1]) =>
    withKubeOptions({ config: () => configOf(kube) }, options).config();

  it.each([
    ['nothing', {}, undefined, ['prod', 'dev'], 'llm'],
    ['a cluster of the configuration', { context: 'dev' }, 'dev', ['prod', 'dev'], undefined],
    ['a context of its kubeconfig', { context: 'staging' }, 'staging', ['staging'], 'rag'],
    ['a kubeconfig', { kubeconfig: kube }, 'prod', ['prod'], 'llm'],
  ] as const)('of %s', (_name, options, defaultCluster, names, namespace) => {
    const config = chosen(options);

    expect(config.defaultCluster).toBe(defaultCluster);
    expect(config.clusters.map(({ name }) => name)).toEqual(names);
    if (options !== undefined && !('context' in options && options.context === 'dev'))
      expect(namespaceOfContext(config, undefined)).toBe(namespace);
  });

  it('another context does not ask the Prometheus of the first', () => {
    expect(chosen({ context: 'staging' }).clusters[0]?.prometheus).toBeUndefined();
  });

  it.each([
    ['that is none', 'package.json', 'has no contexts'],
    ['that is not there', 'no-such-file', 'no-such-file does not exist'],
    ['that is a folder', 'docs', 'docs is not a kubeconfig'],
    ['below a file', 'README.md/x', 'README.md/x cannot be opened'],
    ['that is no YAML', 'README.md', 'README.md is not a kubeconfig'],
  ])('a kubeconfig %s is refused', async (_what, file, says) => {
    const { code, err } = await runOom(['triage', 'vllm-0', '--kubeconfig', file]);

    expect([code, err]).toEqual([2, expect.stringContaining(says)]);
    expect(readFileSync('package.json', 'utf8')).toContain('oombot');
  });
});
