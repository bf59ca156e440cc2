import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRedactor } from '../../src/snapshot/redact.ts';
import { redactJson } from '../../src/snapshot/redact-json.ts';
import { FAR_FROM_QUADRATIC, growthWith } from '../growth.ts';
import { SLOW_PIECES } from './slow-pieces.ts';

const redactor = createRedactor();
const { redact } = redactor;

const letters = (alphabet: string, min: number, max: number) =>
  fc.string({ unit: fc.constantFrom(...alphabet), minLength: min, maxLength: max });
const ALNUM = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const named = letters(`${ALNUM}+/=_.~!@#%^*-`, 16, 60).map((tail) => `K${tail}`);
const formed = fc
  .tuple(fc.constantFrom('hf_', 'ghp_', 'sk-', 'sk-proj-', 'nvapi-', 'xoxb-', 'glpat-'), letters(ALNUM, 36, 60))
  .map(([mark, tail]) => mark + tail);

const NAMED = [
  (s: string) => `INFO 07-10 10:00:00 HF_TOKEN=${s} loaded`,
  (s: string) => `vllm serve m --api-key ${s} --port 8000`,
  (s: string) => `vllm serve m --api-key=${s}`,
  (s: string) => JSON.stringify({ env: [{ name: 'HF_TOKEN', value: s }] }, null, 2),
  (s: string) => JSON.stringify({ env: [{ name: 'HF_TOKEN', value: s }] }),
  (s: string) => JSON.stringify(JSON.stringify({ password: s })),
  (s: string) => JSON.stringify(['--hf-token', s], null, 2),
  (s: string) => `\u001b[36mAPI_KEY\u001b[0m: \u001b[1m${s.slice(0, 9)}\u001b[0m${s.slice(9)}`,
  (s: string) => `Namespace(model='m', api_key='${s}', port=1)`,
  (s: string) => `amqp://guest:${encodeURIComponent(s)}@mq:5672/`,
  (s: string) => `a: b: c: DB_PASSWORD: ${s}`,
  (s: string) => `vllm serve m --api-key \\\n    ${s} \\\n    --port 8000`,
];
const FORMED = [
  ...NAMED,
  (s: string) => s,
  (s: string) => `401 for ${s}, try again`,
  (s: string) => `\u001b[31m${s}\u001b[0m`,
  (s: string) => `https://x.test/${s}/y`,
  (s: string) => JSON.stringify(`first line\n${s}\tand more`),
  (s: string) => `GET /v1/models?state=${encodeURIComponent(`a=${s}`)}`,
  (s: string) => `Authorization: Bearer ${s}`,
  (s: string) => JSON.stringify({ annotations: { note: `token is ${s}` } }),
];

/** Whether 12 characters in a row of the secret are left. */
function leaks(out: string, secret: string): boolean {
  const bare = out.replaceAll('\u001b[0m', '');
  for (let i = 0; i + 12 <= secret.length; i++) if (bare.includes(secret.slice(i, i + 12))) return true;
  return false;
}

const inContext = (secrets: fc.Arbitrary<string>, contexts: readonly ((s: string) => string)[]) =>
  fc.tuple(secrets, fc.constantFrom(...contexts)).map(([secret, put]) => ({ secret, text: put(secret) }));

describe('any secret', () => {
  it.each([
    ['behind a name', inContext(named, NAMED)],
    ['by its form', inContext(formed, FORMED)],
  ])('never survives %s', (_name, cases) => {
    fc.assert(
      fc.property(cases, ({ secret, text }) => {
        expect(leaks(redact(text), secret)).toBe(false);
      }),
      { numRuns: 300, seed: 7 },
    );
  });

  it('never survives in an object of a cluster', () => {
    fc.assert(
      fc.property(named, (secret) => {
        const pod = {
          metadata: { annotations: { last: JSON.stringify({ args: ['--api-key', secret] }), 'x/token': secret } },
          spec: {
            containers: [
              {
                args: ['--model', 'm', '--api-key', secret, `${secret}2`, '--port', '8000'],
                command: ['sh', '-c', `HF_TOKEN=${secret} vllm serve m`],
                env: [{ name: 'HF_TOKEN', value: secret }],
                readinessProbe: { httpGet: { httpHeaders: [{ name: 'Authorization', value: secret }] } },
              },
            ],
          },
        };
        const out = JSON.stringify(redactJson(pod, redactor));

        expect(leaks(out, secret)).toBe(false);
        expect(out).toContain('"--port","8000"');
      }),
      { numRuns: 200, seed: 7 },
    );
  });
});

it('the values of a Secret never survive, also where kubectl keeps them in an annotation', () => {
  const secret = { kind: 'Secret', data: { ca: 'SHVudGVyMnhacQ==' }, stringData: { note: 'Hunter2xZq' } };
  const text = JSON.stringify({ ...secret, metadata: { annotations: { last: JSON.stringify(secret) } } });

  const out = JSON.stringify(redactJson(JSON.parse(text), redactor));

  expect(out).not.toMatch(/SHVudGVy|Hunter2/);
  expect(out).toContain('"ca":');
});

describe('any text', () => {
  const token = fc.constantFrom(
    'HF_TOKEN',
    '=',
    ': ',
    '"',
    "'",
    '\\',
    '\n',
    '\r',
    ' ',
    '[',
    ']',
    '[redacted:',
    'prompt',
    'text=',
    'Bearer ',
    'Authorization',
    'Received request x: ',
    ', params: ',
    '--api-key',
    'eyJhbGciOi.eyJzdWIiOi',
    '://',
    '@',
    'a:b',
    '\u001b[0m',
    '-----BEGIN PRIVATE' + ' KEY-----',
    '-----END PRIVATE' + ' KEY-----',
    'None',
    '7',
    'name',
    'value',
    'input_ids',
    ',',
    '- ',
    'cookie: ',
    'sk-abcdefghijklmnopqrstuvwx',
    'Some(',
    '$(X)',
  );
  const text = fc
    .array(fc.oneof(token, fc.string({ maxLength: 6 })), { maxLength: 30 })
    .map((pieces) => pieces.join(''));

  it('keeps its number of lines, and changes no more the second time', () => {
    fc.assert(
      fc.property(text, (before) => {
        const once = redact(before);

        expect(once.split('\n')).toHaveLength(before.split('\n').length);
        expect(redact(once)).toBe(once);
      }),
      { numRuns: 1500, seed: 5 },
    );
  });
});

it.each(SLOW_PIECES)('a line made to be slow of %j costs time in step with its length', (piece) => {
  const line = piece.repeat(Math.ceil(200_000 / piece.length));

  expect(growthWith(line, redact)).toBeLessThan(FAR_FROM_QUADRATIC);
});
