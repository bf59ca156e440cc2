import { describe, expect, it } from 'vitest';
import { diagnoseFiles, type Files, known, valueOfFact } from '../incident.ts';
import { FAILED_ASSERTION as ASSERT } from '../served-engine.ts';

const diagnosed = (describeText: string, files: Files = { 'previous.log': ASSERT }) =>
  diagnoseFiles({ ...known({ engine: 'vllm' }), ...files, 'describe.txt': describeText });

const container = (name: string, image: string, reason: string, code: number) =>
  [
    `  ${name}:`,
    `    Image:          ${image}`,
    '    Last State:     Terminated',
    `      Reason:       ${reason}`,
    `      Exit Code:    ${code}`,
    '',
  ].join('\n');
const podOf = (...containers: string[]) => `Name:  p-0\nNamespace:  serving\nContainers:\n${containers.join('')}`;
const killed = (name: string, image = `acme/${name}:1`) => container(name, image, 'OOMKilled', 137);
const failed = (name: string, image = `acme/${name}:1`) => container(name, image, 'Error', 1);

describe('the kill of a container', () => {
  it.each([
    ['the first of two that could run it', podOf(killed('alpha'), failed('beta'))],
    ['the second of two that could run it', podOf(failed('alpha'), killed('beta'))],
    ['one of two, of which the other lives', podOf(killed('alpha'), '  beta:\n    Image: acme/beta:1\n')],
    ['a helper by its name, first of all', podOf(killed('fluent-bit'), failed('beta'))],
    ['a helper by its image, first of all', podOf(killed('side', 'docker.io/envoyproxy/envoy:v1'), failed('beta'))],
    ['a helper that is the only one described', podOf(killed('fluent-bit', 'fluent/fluent-bit:3'))],
  ])('is not taken for that of the engine: %s', async (_name, text) => {
    expect((await diagnosed(text)).diagnosis.verdict).toMatchObject({ plane: 'none', cause: 'none.other' });
  });

  it('of any of several is at most a guess where the log tells nothing', async () => {
    expect((await diagnosed(podOf(killed('alpha'), failed('beta')), {})).diagnosis.verdict.certain).toBe(false);
  });

  it.each([
    ['64Gi', '1Gi', undefined],
    ['64Gi', '64Gi', 64 * 1024 ** 3],
  ])('has no limit of RAM where that may be another’s: %s and %s', async (one, other, expected) => {
    const limited = (name: string, size: string) => `${failed(name)}    Limits:\n      memory:  ${size}\n`;

    expect(
      valueOfFact((await diagnosed(podOf(limited('alpha', one), limited('beta', other)))).facts, 'ram.limit'),
    ).toBe(expected);
  });

  it.each([
    ['by its GPU', podOf(failed('alpha'), `${killed('beta')}    Limits:\n      nvidia.com/gpu:  1\n`), {}],
    ['by its image', podOf(failed('alpha'), killed('beta', 'vllm/vllm-openai:v0.11.0')), {}],
    ['as the only one', podOf(killed('alpha')), {}],
    ['as the only one that is no helper', podOf(failed('istio-proxy'), killed('beta')), {}],
    ['where all of them were killed', podOf(killed('alpha'), killed('beta')), {}],
    ['by its log', podOf(failed('alpha'), killed('beta')), { 'beta.previous.log': 'INFO: started\n' }],
  ])('is proven where it is the engine: %s', async (_name, text, files) => {
    const { facts, diagnosis } = await diagnosed(text, files);

    expect(facts.get('death.oom-killed')).toMatchObject({ kind: 'known', value: true });
    expect(diagnosis.verdict).toMatchObject({ plane: 'host', certain: true });
  });
});
