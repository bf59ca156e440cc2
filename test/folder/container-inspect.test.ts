import { describe, expect, it } from 'vitest';
import { memoryFile } from '../../src/folder/evidence-file.ts';
import { podsOfTree } from '../../src/folder/pods-of-tree.ts';
import { recognizeFile } from '../../src/folder/recognize-file.ts';
import { valueIn, verdictOfFiles } from '../facts/incident.ts';
import { criContainer, dockerContainer } from '../read/cluster/container-inspect.ts';

const ENGINE = { name: 'vllm', image: 'vllm/vllm-openai:v0.11.0' };
const printed = (value: unknown) => JSON.stringify(value, null, 4);
const docker = (...told: readonly Parameters<typeof dockerContainer>[0][]) => printed(told.map(dockerContainer));

describe('the state that a container runtime prints', () => {
  it.each([
    ['docker inspect', docker({ ...ENGINE, killed: true, code: 137 })],
    [
      'docker inspect of several',
      docker({ name: 'cache', image: 'redis:7', killed: false, code: 0 }, { ...ENGINE, killed: true, code: 137 }),
    ],
    ['nerdctl inspect', docker({ ...ENGINE, code: 137 })],
    ['crictl inspect', printed(criContainer({ ...ENGINE, killed: true, code: 137 }))],
    [
      'docker inspect of the state alone',
      JSON.stringify(dockerContainer({ ...ENGINE, killed: true, code: 137 }).State),
    ],
  ])('is recognized by its content, %s', async (_, text) => {
    const file = memoryFile('inspect.json', [new TextEncoder().encode(text)]);

    expect(await recognizeFile(file)).toMatchObject({ kind: 'named', name: 'describe.txt' });
    const [source] = (await podsOfTree('inspect', [file])).sources;
    expect(await verdictOfFiles({ 'describe.txt': (await source?.read('describe.txt')) ?? '' })).toMatchObject({
      plane: 'host',
    });
  });

  it.each([
    ['docker image inspect', printed([{ Id: 'sha256:1', RepoTags: ['redis:7'], Config: { Env: [] } }])],
    ['a model’s config', printed({ architectures: ['Qwen3ForCausalLM'], state: 'none' })],
  ])('is not %s', async (_, text) => {
    const file = memoryFile('inspect.json', [new TextEncoder().encode(text)]);

    expect(await recognizeFile(file)).toBeUndefined();
  });

  it.each([
    ['docker', docker({ ...ENGINE, killed: true, code: 137 })],
    ['crictl', printed(criContainer({ ...ENGINE, killed: true, code: 137 }))],
  ])('proves an OOM kill and tells the limit, %s', async (_, text) => {
    const files = { 'describe.txt': text };

    expect(await verdictOfFiles(files)).toMatchObject({ plane: 'host', certain: true });
    expect(await valueIn(files, 'ram.limit')).toBe(32 * 1024 ** 3);
    expect(await valueIn(files, 'death.exit-code')).toBe(137);
    expect(await valueIn(files, 'engine.version')).toBe('0.11.0');
  });

  it.each([
    ['docker', docker({ ...ENGINE, killed: false, code: 137 })],
    ['nerdctl', docker({ ...ENGINE, code: 137 })],
    ['crictl', printed(criContainer({ ...ENGINE, code: 137 }))],
  ])('leaves open who sent signal 9 where it was no OOM kill, %s', async (_, text) => {
    const files = { 'describe.txt': text };

    expect(await verdictOfFiles(files)).toMatchObject({ certain: false });
    expect(await valueIn(files, 'death.killed-unexplained')).toBe(true);
  });

  it('has no limit where Docker says 0', async () => {
    const text = docker({ ...ENGINE, killed: true, code: 137 }).replace('"Memory": 34359738368', '"Memory": 0');

    expect(await valueIn({ 'describe.txt': text }, 'ram.limit')).toBeUndefined();
  });

  it('has the arguments of the engine', async () => {
    const text = docker({ ...ENGINE, killed: true, code: 137 });

    expect(await valueIn({ 'describe.txt': text }, 'engine.max-model-len')).toBe(8192);
  });

  it('gives the error with which it could not start', async () => {
    const error = 'failed to create task: runc create failed: container init was OOM-killed (memory limit too low?)';
    const text = docker({ ...ENGINE, killed: false, code: 128 }).replace('"Error": ""', `"Error": "${error}"`);

    expect(await verdictOfFiles({ 'describe.txt': text })).toMatchObject({ plane: 'host' });
  });
});
