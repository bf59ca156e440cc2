import { describe, expect, it } from 'vitest';
import { IncidentFile, Snapshot } from '../../src/model/snapshot.ts';
import { buildSnapshot } from '../../src/snapshot/build.ts';
import { createRedactor } from '../../src/snapshot/redact.ts';
import { exampleCapture } from '../model/examples.ts';

const build = (files: Readonly<Record<string, string>>) =>
  buildSnapshot({ id: 'inc_1', files, capture: exampleCapture, redactor: createRedactor() });
const SECRET = 'Zq9fK2mWx7Lp4RtVb8Ys';

describe('building a snapshot', () => {
  it('keeps known files only, in a fixed order, with how it was taken', () => {
    const { files } = build({
      'z.previous.log': 'z',
      'notes.md': 'n',
      'args.txt': 'a',
      'pod.json': '{}',
      'a.current.log': 'a',
    });

    expect(Object.keys(files)).toEqual(['incident.json', 'pod.json', 'args.txt', 'a.current.log', 'z.previous.log']);
    expect(IncidentFile.parse(JSON.parse(files['incident.json'] ?? '')).capture).toEqual(exampleCapture);
  });

  it('gives what the contract of a snapshot asks for', () => {
    expect(Snapshot.safeParse(build({ 'pod.json': '{}' })).success).toBe(true);
  });

  it('takes secrets out of objects and leaves the rest of them whole', () => {
    const pod = {
      metadata: { name: 'vllm-0', uid: '3c9d2b1e-7f64-4e0a-9a57-0d1c2b3a4f5e' },
      spec: {
        containers: [
          {
            args: ['--api-key', SECRET, '--max-num-batched-tokens', '8192'],
            env: [
              { name: 'HF_TOKEN', value: SECRET },
              { name: 'MAX_TOTAL_TOKENS', value: '4096' },
              { name: 'API_KEY', valueFrom: { secretKeyRef: { name: 'keys', key: 'token' } } },
            ],
          },
        ],
      },
    };
    const text = build({ 'pod.json': JSON.stringify(pod) }).files['pod.json'] ?? '';
    const expected = structuredClone(pod) as { spec: { containers: { args: string[]; env: { value?: string }[] }[] } };
    const container = expected.spec.containers[0];
    container?.args.splice(1, 1, '[redacted:secret-value]');
    container?.env.splice(0, 1, { name: 'HF_TOKEN', value: '[redacted:secret-value]' } as { value: string });

    expect(JSON.parse(text)).toEqual(expected);
    expect(text).toContain('\n  "metadata"');
  });

  it.each([
    ['a login of a registry', { auths: { 'r.test': { auth: SECRET } } }],
    ['a chat', { messages: [{ role: 'user', content: SECRET }] }],
    ['a chat in parts', { messages: [{ content: [{ type: 'text', text: SECRET }] }] }],
    ['the input of an embedding', { input: [SECRET, 'x'] }],
    ['a prompt', { prompt: SECRET }],
    ['arguments', ['--api-key', 'k1', SECRET]],
    ['a header as a pair', [['authorization', SECRET]]],
  ])('takes %s out of JSON in JSON at any depth', (_what, inner) => {
    const once = JSON.stringify(inner);
    const pod = {
      metadata: { annotations: { once, twice: JSON.stringify({ deep: [once] }) } },
      spec: { containers: [{ args: ['--x', once, `--y=${once}`], env: [{ name: 'X', value: ` ${once}` }] }] },
    };

    const files = build({ 'pod.json': JSON.stringify(pod) }).files;

    expect(files['pod.json']).not.toContain(SECRET);
    expect(build(files).files['pod.json']).toBe(files['pod.json']);
  });

  it('redacts as text what should be JSON and is cut off', () => {
    const cut = `{ "env": [ { "name": "HF_TOKEN", "value": "${SECRET}" }, { "name":`;

    expect(build({ 'pod.json': cut }).files['pod.json']).not.toContain(SECRET);
  });

  it.each([2048, 4096])('drops the line that the kubelet cut when it kept %i bytes of last words', (bytes) => {
    const message = `${'my rare illness '.repeat(300)}', params: x\nCUDA error: out of memory`.slice(-bytes);
    const pod = { status: { containerStatuses: [{ lastState: { terminated: { exitCode: 1, message } } }] } };

    const text = build({ 'pod.json': JSON.stringify(pod) }).files['pod.json'] ?? '';

    expect(text).not.toContain('illness');
    expect(text).toContain('CUDA error: out of memory');
  });

  it('builds the same from what it has built', () => {
    const files = {
      'pod.json': JSON.stringify({ env: [{ name: 'HF_TOKEN', value: SECRET }] }),
      'current.log': `api_key=${SECRET}\ud83d\n`,
    };
    const once = build(files);

    expect(build(once.files).files).toEqual(once.files);
  });

  it('leaves out marks of encoding and halves of characters, which no file could keep', () => {
    expect(build({ 'args.txt': '\ufeff\ufeffa\ud83d' }).files['args.txt']).toBe('a\ufffd');
  });
});
