import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findArgSources } from '../../../src/actions/arguments/find-arg-sources.ts';

const find = (container: unknown, more: object = {}) => findArgSources(container, { engine: 'vllm', ...more });

describe('sources of arguments', () => {
  it('stand in order of precedence: args before command, words before variables before files', () => {
    const container = {
      command: ['vllm', 'serve', 'm', '--seed=1', '--config', '/c/a.yaml'],
      args: ['--seed', '$(S)', '--no-enable-prefix-caching'],
      env: [
        { name: 'HF_TOKEN', value: 'hf_secret' },
        { name: 'VLLM_USE_V1', value: '1' },
      ],
    };

    expect(find(container, { configMaps: { cm: { 'a.yaml': 'max-model-len: 8k\n' } } })).toEqual([
      {
        kind: 'argv',
        at: '/args',
        settings: [
          { flag: '--seed', value: null },
          { flag: '--enable-prefix-caching', value: 'false' },
        ],
      },
      {
        kind: 'argv',
        at: '/command',
        settings: [
          { flag: '--seed', value: '1' },
          { flag: '--config', value: '/c/a.yaml' },
        ],
      },
      { kind: 'env', at: '/env/1', settings: [{ flag: 'VLLM_USE_V1', value: '1' }] },
      { kind: 'config-map', at: 'cm/a.yaml', settings: [{ flag: '--max-model-len', value: '8k' }] },
    ]);
  });

  it('put the file of KAITO first, which wins over the command line', () => {
    const container = { command: ['sh', '-c', 'python3 /w/inference_api.py --kaito-config-file=/c/x.yaml --seed 1'] };
    const sources = find(container, { configMaps: { cm: { 'x.yaml': 'vllm:\n  seed: 2\n' } } });

    expect(sources.map(({ kind }) => kind)).toEqual(['config-map', 'script']);
  });

  it.each<[name: string, container: unknown, more: object, last: object]>([
    ['what the image brings', { args: ['--seed=1'] }, {}, { kind: 'unknown', why: 'entrypoint-unknown' }],
    ['nothing but the image', {}, {}, { kind: 'unknown', why: 'arguments-in-image' }],
    [
      'a script that can not be read',
      { command: ['sh', '-c', 'vllm serve "'] },
      {},
      { kind: 'unknown', why: 'unbalanced' },
    ],
    ['no container', 'x', {}, { kind: 'unknown', why: 'malformed' }],
    [
      'variables of TGI',
      { command: ['text-generation-launcher'], env: [{ name: 'MAX_TOTAL_TOKENS', value: '4' }] },
      { engine: 'tgi' },
      { kind: 'env', at: '/env/0', settings: [{ flag: 'MAX_TOTAL_TOKENS', value: '4' }] },
    ],
    [
      'fields of a resource',
      { command: ['vllm', 'serve', 'm'] },
      { object: { a: 1 }, fields: { '--seed': '/a', '--port': '/b' } },
      { kind: 'field', at: '/a', settings: [{ flag: '--seed', value: '1' }] },
    ],
  ])('name %s', (_name, container, more, last) => {
    expect(find(container, more).at(-1)).toEqual(last);
  });

  it('are found in any JSON without a throw', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (args, env) => {
        expect(find({ args, env })).toBeInstanceOf(Array);
      }),
      { seed: 4, numRuns: 200 },
    );
  });
});
