import { describe, expect, it } from 'vitest';
import { createRedactor } from '../../src/snapshot/redact.ts';
import { FAR_FROM_QUADRATIC, growthWith } from '../growth.ts';
import { SIGNATURES } from '../playbooks/shipped.ts';

const { redact } = createRedactor();
const SECRET = 'Zq9fK2mWx7Lp4RtVb8Ys';
const BASE64 = 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj';
// In two pieces, so that no scanner of repositories takes this file for a leak.
const begin = (kind = 'RSA ') => `-----BEGIN ${kind}PRIVATE${' KEY-----'}`;
const end = (kind = 'RSA ') => `-----END ${kind}PRIVATE${' KEY-----'}`;

describe('secrets by their form', () => {
  const TOKENS: readonly (readonly [name: string, token: string])[] = [
    ['Hugging Face', `hf_${SECRET}${SECRET}`],
    ['GitHub', `ghp_${SECRET}${SECRET}`],
    ['GitHub, fine-grained', `github_pat_${SECRET}_${SECRET}`],
    ['GitLab', `glpat-${SECRET}`],
    ['Slack', `xoxb-1234567890-${SECRET}`],
    ['Slack app', `xapp-1-A012-${SECRET}`],
    ['OpenAI', `sk-${SECRET}${SECRET}`],
    ['NGC', `nvapi-${SECRET}-${SECRET}`],
    ['Google', `AIza${SECRET}${SECRET.slice(0, 15)}`],
    ['AWS', 'AKIAQ3EGZQ7XK2M9WLPA'],
    ['JWT', `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.${SECRET}`],
  ];
  it.each<readonly [name: string, line: string]>([
    ...TOKENS,
    ['Hugging Face organisation', `api_org_${SECRET}`],
    ['Slack, rotated', `xoxe.xoxp-1-${SECRET}`],
    ['Slack webhook', `https://hooks.slack.com/services/T0/B0/${SECRET}`],
    ['OpenAI project', `sk-proj-${SECRET}_${SECRET}`],
    ['Google OAuth', `ya29.${SECRET}`],
    ['URL password', `postgres://app:${SECRET}@db:5432/x`],
    ['URL token', `https://${SECRET}@git.test/x`],
    ['bearer', `sent Bearer ${SECRET}`],
    ['bearer in a header', `Authorization: Bearer ${SECRET}`],
    ['bearer in a header that ends in letters', `authorization=bearer ${SECRET}`],
    ['basic in a header', `-H "Proxy-Authorization: Basic ${SECRET}="`],
    ['header as a pair', `[(b'x-api-key', b'${SECRET}')]`],
    ['all of a cookie', `cookie: a=${SECRET}; b=${SECRET}`],
    ['a login for curl', `curl -u app:${SECRET} https://x.test`],
    ['netrc', `machine hub.test login app password ${SECRET}`],
    ['a picture', `'url': 'data:image/png;base64,${SECRET}${SECRET}'`],
    ['basic', `Authorization: Basic ${Buffer.from(`u:${SECRET}`).toString('base64')}`],
    ['authorization without scheme', `'authorization': '${SECRET}'`],
    ['header', `x-api-key: ${SECRET}`],
    ['signed link', `GET https://cdn.test/m?X-Amz-Signature=${SECRET}&x=1`],
    ['a scheme of its own', `Authorization: GenieKey ${SECRET}`],
    ['digest', `Authorization: Digest username="u", nonce="n1", response="${SECRET}"`],
    ['a signed request', `Authorization: AWS4-HMAC-SHA256 Credential=a/b, SignedHeaders=host, Signature=${SECRET}`],
    ['headers as Go prints them', `map[Authorization:[Bearer ${SECRET}] Accept:[*/*]]`],
    ['URL password behind escaped slashes', `postgres:\\/\\/app:${SECRET}@db`],
    ['login of MySQL in Go', `app:${SECRET}@tcp(db:3306)/x`],
    ['key in a query', `POST https://x.test/v1beta/models?key=${SECRET}`],
    ['login of a registry', `docker login -u app -p ${SECRET} r.test`],
    ['login of wandb', `sh -c "wandb login ${SECRET}"`],
    ['login of redis', `redis-cli -h db -a ${SECRET} ping`],
    ['login of npm', `//r.test/:_auth=${SECRET}`],
    ['literal of a Secret', `kubectl create secret generic s --from-literal=foo=${SECRET}`],
    ['registry', `{"auths":{"r.test":{"auth":"${SECRET}"}}}`],
  ])('takes out %s', (_name, line) => {
    const forms = [
      line,
      `\u001b[31m${line}\u001b[0m`,
      `log: ${line}, next`,
      `"${line}"`,
      `\\u001b[1m${line}\\u001b[0m`,
    ];

    for (const form of forms) {
      const out = redact(form);
      expect(out).toContain('[redacted:');
      for (const piece of [SECRET, 'AKIAQ3EGZQ7XK2M9WLPA', 'eyJzdWIi']) expect(out).not.toContain(piece);
    }
  });

  it.each([
    ['an escaped line feed', '\\n'],
    ['an escaped tabulator', '\\t'],
    ['an escaped quote', '\\u0022'],
    ['a blank of a URL', '%20'],
    ['an equals sign of a URL', '%3D'],
    ['an underscore', '_'],
  ])('takes out tokens right behind %s', (_name, before) => {
    expect(TOKENS.filter(([, token]) => redact(`"a${before}${token}"`).includes(token.slice(-16)))).toEqual([]);
  });

  it('keeps what stands around', () => {
    expect(redact(`GET https://u:${SECRET}@hub.test/m?a=1 failed`)).toBe(
      'GET https://[redacted:credentials]@hub.test/m?a=1 failed',
    );
    expect(redact(`HF_TOKEN=${SECRET} vllm serve`)).toBe('HF_TOKEN=[redacted:secret-value] vllm serve');
  });
});

// Prefixes and letters of tokens as gitleaks knows them (config/gitleaks.toml), with the shortest rest in use. In pieces,
// so that no scanner of repositories takes this file for a leak.
const HEX64 = 'a1b2c3d4e5f60718'.repeat(4);
const LONG = 'Zq9fK2mWx7Lp4RtVb8Ys'.repeat(12);
const ISSUED: readonly (readonly [prefix: string, rest: string])[] = [
  ...'glpat- gldt- glft- glimt- glagent- gloas- glrt- glsoat- glptt- glffct- glcbt-1_ GR1348941'
    .split(' ')
    .map((p) => [p, LONG.slice(0, 20)] as const),
  ...'gsk_ r8_ npm_ pnu_ ico- rpa_ pcsk_ jina_ csk- pplx- xai- fw_ tvly- lin_api_ dckr_pat_ dckr_oat_ nfp_ tgp_v1_ esecret_ figd_ ntn_ lsv2_pt_ ls__ ak- EZAK EZTK AKCp cmVmd 4b1d CLOJARS_ rdme_ sk_live_ sk_test_ rk_prod_ whsec_ sm_aat_ sm_pat_ sm_sat_ vcp_ wandb_v1_ HRKU-AA CCIPAT_ fo1_ fm2_ fio-u- duffel_test_ FLWSECK_TEST- ATATT3 ABSK bedrock-api-key- ops_eyJ p8e- LTAI AQVN NRAK- sq0atp- EAAA EAAM sbp_ sb_secret_ tskey-auth- sha256~ pscale_tkn_ pscale_oauth_ pscale_pw_ tfp_ glc_ glsa_ eyJrIjoi tk-us- sntrys_eyJ pypi-AgEIcHlwaS5vcmc hvs. hvb. hvr. SG. dp.pt. dp.st. dt0c01. hf_ api_org_ ghp_ gho_ ghu_ ghs_ ghr_ github_pat_ xoxb- xoxp- xapp- nvapi- AIza ya29. GOCSPX- sk- sk-proj- sk-svcacct- sk-admin- sk-ant-api03- sk-or-v1- sk-lf- https://discord.com/api/webhooks/1122334455667788990/ https://discordapp.com/api/webhooks/1122334455667788990/ https://hooks.slack.com/services/T0/B0/ 12345678:AA https://api.telegram.org/bot12345678:AA EAA AAAAabcdefg:APA91b AKID sec-c- pa- hcaik_ LS0tLS1CRUdJTi eyJhdXRocyI6 ewogICJhdXRocyI6'
    .split(' ')
    .map((p) => [p, LONG.slice(0, 100)] as const),
  ...'dapi dop_v1_ doo_v1_ dor_v1_ shpat_ shpca_ shppa_ shpss_ shippo_live_ shippo_test_ pul- rubygems_ sntryu_ SK sgp_ squ_ sqp_ sqa_ xkeysib- bkua_ key- pubkey- s-s4t2ud- PMAK- pub sk_'
    .split(' ')
    .map((p) => [p, HEX64] as const),
  ['s.', 'Zq9fK2mWx7Lp4RtVb8YsAbCd'],
  ['AGE-SECRET-KEY-1', 'QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L'.repeat(2).slice(0, 58)],
  ['API-', 'QPZRY9X8GF2TVDW0S3JN54KHCE'],
  ['A3-QPZRY9-', 'QPZRY9X8GF2-TVDW0-S3JN5-4KHCE'],
  ['patAbCdEfGhIjKl12.', HEX64],
  ['AbCdEfGhIjKl12.atlasv1.', LONG.slice(0, 64)],
  ['v1.0-', `${HEX64.slice(0, 24)}-${HEX64}${HEX64}${HEX64.slice(0, 18)}`],
  ['pat.', `${LONG.slice(0, 22)}.${LONG.slice(0, 24)}.${LONG.slice(0, 20)}`],
  ['abc8Q~', LONG.slice(0, 34)],
  ['ext_abcdef.ab12.acc_', LONG.slice(0, 60)],
  [
    'https://acme.webhook.office.com/webhookb2/',
    `${HEX64.slice(0, 36)}@${HEX64.slice(0, 36)}/IncomingWebhook/${HEX64}`,
  ],
  ['AKIA', 'QPZRY9X8GF2TVDW0'],
  [`${LONG.slice(0, 52)}JQQJ99`, LONG.slice(0, 26)],
  ['sk-helicone-', 'abcdef1-abcdef2-abcdef3-abcdef4'],
  ['', `${HEX64.slice(0, 36)}NRAL`],
];

describe('a token by the form that its issuer gave it', () => {
  it('is taken out wherever it stands', () => {
    const contexts = [
      (token: string) => token,
      (token: string) => `401 for ${token}, try again`,
      (token: string) => `"a\\n${token}"`,
      (token: string) => JSON.stringify({ note: JSON.stringify({ args: [`--x=${token}`] }) }),
      (token: string) => `https://x.test/?a=${encodeURIComponent(token)}`,
    ];

    const left = ISSUED.flatMap(([prefix, rest]) =>
      contexts.filter((put) => redact(put(prefix + rest)).includes(rest.slice(-16))).map((put) => put(prefix)),
    );

    expect(left).toEqual([]);
  });

  it.each([
    ['an @', `pa@${SECRET}`],
    ['a slash', `pa/${SECRET}/x`],
    ['both', `${SECRET}@/@x`],
  ])('a password in a URL with %s is taken out whole', (_what, password) => {
    const out = redact(`postgres://app:${password}@db:5432/x failed`);

    expect(out).toBe('postgres://[redacted:credentials]@db:5432/x failed');
  });

  it('no image and no address is one', () => {
    for (const text of [
      'docker-pullable://registry.test:5000/vllm/vllm-openai@sha256:0f1e2d3c',
      'GET http://10.0.0.1:8000/v1/models?mail=a@b.test',
      'pod tk-us-vllm-7d8f6f9c6b-4mnl2 on node key-value-store-1 as-of-2026-01-15T02:00:00Z',
    ])
      expect(redact(text)).toBe(text);
  });
});

const OTHER = 'Yq8gL3nXy6Mq5SuWc7Zt';
it.each([
  `vllm serve m --api-key ${SECRET} ${OTHER} --port 8000`,
  `vllm serve m --api-key "${SECRET}" "${OTHER}" --port 8000`,
  `vllm serve m --api-key ${SECRET} \\\n  ${OTHER} \\\n  --port 8000`,
  `["--api-key","${SECRET}","${OTHER}","--port","8000"]`,
  `'[{"op":"replace","path":"/args","value":["--api-key","${SECRET}","${OTHER}","--port","8000"]}]'`,
  `- --api-key\n- ${SECRET}\n- ${OTHER}\n- --port\n- "8000"`,
  `-    - --api-key\n-    - ${SECRET}\n-    - ${OTHER}\n+    - --port\n 8000`,
  `    Args:\n      --api-key\n      ${SECRET}\n      ${OTHER}\n      --port\n      8000`,
])('several values of one flag all go: %j', (text) => {
  const out = redact(text);

  expect(out).not.toContain(SECRET);
  expect(out).not.toContain(OTHER);
  expect(out).toContain('8000');
  expect(redact(out)).toBe(out);
});

describe('secrets by their name', () => {
  it.each([
    `HF_TOKEN=${SECRET}`,
    `export PGPASSWORD='${SECRET}'`,
    `      HUGGING_FACE_HUB_TOKEN:                 ${SECRET}`,
    `env: AWS_SECRET_ACCESS_KEY=${SECRET}`,
    `--api-key ${SECRET} --port 8000`,
    `--api-key=${SECRET}`,
    `--hf-token ${SECRET}`,
    `"--api-key", "${SECRET}"`,
    `"args": [\n  "--api-key",\n  "${SECRET}"\n]`,
    `['--api-key', '${SECRET}']`,
    `    Args:\n      --model\n      acme/m\n      --api-key\n      ${SECRET}\n    State: Running`,
    `- --hf-token\n- ${SECRET}`,
    `- name: HF_TOKEN\n  value: ${SECRET}`,
    `{"name":"HF_TOKEN","value":"${SECRET}"}`,
    `{\n  "name": "HF_TOKEN",\n      "value": "${SECRET}"\n}`,
    `{\\"name\\":\\"HF_TOKEN\\",\\"value\\":\\"${SECRET}\\"}`,
    `non-default args: {'api_key': ['${SECRET}'], 'port': 1}`,
    `ServerArgs(api_key='${SECRET}', port=1)`,
    `Args { api_key: Some("${SECRET}"), port: 1 }`,
    `Args {\n    api_key: Some(\n        "${SECRET}",\n    ),\n    port: 80,\n}`,
    `Args {\r\n    api_key: Some(\r\n        "${SECRET}",\r\n    ),\r\n}`,
    `[pod/tgi-0/e]     ngrok_authtoken: Some(\n[pod/tgi-0/e]         "${SECRET}",\n[pod/tgi-0/e]     ),`,
    `{"log":"    api_key: Some(\\n","stream":"stdout"}\n{"log":"        \\"${SECRET}\\",\\n","stream":"stdout"}`,
    `{"message":"Args {\\n    api_key: Some(\\n        \\"${SECRET}\\",\\n    ),\\n}"}`,
    `SecretStr: api_key=SecretStr('${SECRET}')`,
    `clientSecret: "a \\" quote ${SECRET}"`,
    `https://x.test/y?access_token=${SECRET}&b=2`,
    `DefaultEndpointsProtocol=https;AccountKey=${SECRET}==;EndpointSuffix=x`,
    `\u001b[36mHF_TOKEN\u001b[0m=\u001b[33m${SECRET.slice(0, 5)}\u001b[0m${SECRET.slice(5)}`,
    `password: ${SECRET},${SECRET}`,
    `api_token: Bearer ${SECRET}`,
    `COHERE_KEY=${SECRET}`,
    `- name: GITHUB_PAT\n  value: ${SECRET}`,
    `- name: DB_PASSWORD\n  value: two ${SECRET}`,
    `      DB_PASSWORD:  two ${SECRET}`,
    `{"name":"SYSTEM_PROMPT","value":"${SECRET}"}`,
    `GOOGLE_APPLICATION_CREDENTIALS_JSON='${SECRET}'`,
    `SECRET_KEY_BASE: ${SECRET}`,
    `pwd=${SECRET};Database=x`,
    `SharedAccessSignature=${SECRET}`,
    `Ocp-Apim-Subscription-Key: ${SECRET}`,
    `redis-server --requirepass ${SECRET}`,
    `"identitytoken": "${SECRET}"`,
    `ADMIN_PW=${SECRET}`,
    `apiKey := "${SECRET}"`,
    `vllm\0serve\0m\0--api-key\0${SECRET}\0--port\x008000`,
    `password: |\n  ${SECRET}\n  ${SECRET}\nport: 1`,
    `  password: >-\r\n    ${SECRET}\r\n  port: 1`,
    `api_keys:\n- ${SECRET}\n- "${SECRET}"\nport: 1`,
    `{"api_keys": [\n  "${SECRET}",\n  "${SECRET}"\n], "port": 1}`,
    `password: &p ${SECRET}`,
    `token: !!binary ${SECRET}`,
    `${JSON.stringify({ a: JSON.stringify({ b: JSON.stringify({ c: JSON.stringify({ password: SECRET, args: ['--api-key', SECRET] }) }) }) })}`,
    `vllm serve acme/m \\\n  --api-key \\\n  ${SECRET} \\\n  --port 8000`,
    `"vllm serve acme/m --api-key \\\\\\n  ${SECRET} --port 8000"`,
  ])('takes the value out of %j', (text) => {
    const out = redact(text);

    expect(out).not.toContain(SECRET);
    expect(out).not.toContain(SECRET.slice(5));
    expect(out.split('\n')).toHaveLength(text.split('\n').length);
    expect(redact(out)).toBe(out);
  });

  it.each([
    '--max-num-batched-tokens 8192 --tokenizer-mode auto --tokenizer acme/m',
    'MAX_TOTAL_TOKENS=4096 TOKENIZERS_PARALLELISM=false MAX_BATCH_PREFILL_TOKENS: 2048',
    'image: vllm/vllm-openai@sha256:0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c4b5a69788796a5b4c3d2e1f0',
    'uid: 3c9d2b1e-7f64-4e0a-9a57-0d1c2b3a4f5e',
    'pod sk-vllm-7d8f6f9c6b-4mnl2-decode-0 restarted; task-7d8f6f9c6b4mnl2abcdefgh',
    'token usage: 0.95, token_usage: 0.95, #token: 1234, #new-token: 8192, #cached-token: 0',
    'max_total_num_tokens=387814, chunked_prefill_size=8192',
    'Avg prompt throughput: 5.0 tokens/s, Avg generation throughput: 120.1 tokens/s',
    'GPU KV cache size: 123,456 tokens',
    "tokenizer='acme/m', tokenizer_mode=auto, skip_tokenizer_init=False, eos_token='<|im_end|>', pad_token_id=2",
    'secretName: hf-credentials',
    '    Type: Secret (a volume populated by a Secret)\n    SecretName:  hf-token\n    Optional:    false',
    "      HF_TOKEN:  <set to the key 'token' in secret 'hf-secret'>  Optional: false",
    '"valueFrom": {\n "secretKeyRef": {\n "name": "hf-token",\n "key": "token"\n }\n }',
    '"configMapKeyRef": { "name": "engine", "key": "api-key" }',
    '  hf-token:\n    Type:        Secret',
    'fsync_token: 7f3a9b2c4d5e6f70',
    'imagePullSecrets: regcred-for-pulls',
    'HF_TOKEN=$(TOKEN_FROM_ELSEWHERE) HF_TOKEN=$X HF_TOKEN=None api_key=None api_key: null',
    'use --hf-token to log in; pass `--api-key` or set it',
    'PWD=/workspace/models/llama TokenExpirationSeconds: 3607',
    'automountServiceAccountToken: false',
    'http://10.0.0.5:8000/health and https://hub.test/acme/m@main',
    'This is basic configuration for everybody; bearer of bad news, unfortunately',
    'ssh://git@github.test/x',
    'key: value',
    'secret:\n  secretName: hf-token\n  defaultMode: 420\ncredentials:\n- name: a\n  path: /x\n- --port',
    'cookie: none',
    'GET http://prometheus:9090/api/v1/query?query=up&time=1 failed',
    '"query": "container_memory_working_set_bytes{container=\\"e\\"}", "query": "sum by (pod) (x)"',
    'prompt: 512 tokens, next token: 12, PROMPT_CACHE=1, CHAT_PROMPT: <set to the key a of config map b>',
    'image: docker.io/acme/login:v1 -p 8000:8000\nINFO: login done - port 8000',
    'HF_TOKEN=',
    'SamplingParams(n=1, stop_token_ids=[151643, 151645], max_tokens=16)',
    'LANGFUSE_PUBLIC_KEY=pk-lf-1 ROUTING_KEY=a PARTITION_KEY=b',
    'docker run --user 1000:1000 -u 0:0 image',
    'PWD=/workspace OLDPWD=/ PWD: ~/models',
    'prompt: None, params: SamplingParams(n=1)',
    'The decoder prompt (length 9000) is longer than the maximum model length of 8192.',
    '`inputs` tokens + `max_new_tokens` must be <= 2048. Given: 1500 `inputs` tokens',
    'obj=GenerateReqInput(rid=1, text=None, input_ids=None)',
    '\u001b[32mINFO\u001b[0m token usage: 0.5\r 10%|#   | 1/9\r',
  ])('leaves alone %j', (text) => {
    expect(redact(text)).toBe(text);
  });

  it('leaves every line by which playbooks find a cause as it is, but for the words of users', () => {
    const lines = SIGNATURES.flatMap(({ must, mustNot }) => [...(must ?? []), ...(mustNot ?? [])]);
    const changed = lines.filter((line) => redact(line) !== line);

    expect(lines.length).toBeGreaterThan(400);
    expect(changed.filter((line) => !line.includes("Received request chatcmpl-1a2b: prompt: 'hello'"))).toEqual([]);
  });
});

describe('private keys', () => {
  const body = [BASE64, BASE64, 'c2hvcnQ='];

  it.each([
    ['plain', ['before', begin(), ...body, end(), 'after'].join('\n')],
    [
      'behind the prefix of each log line',
      ['before', ...[begin(''), ...body, end('')].map((l) => `INFO 07-10 [x.py:1] ${l}`), 'after'].join('\n'),
    ],
    ['on one line, as JSON prints it', `before\n{"key":"${[begin(), ...body, end()].join('\\n')}"}\nafter`],
    ['without its end', ['before', begin(), BASE64, BASE64, 'after'].join('\n')],
    ['without its end, with prefixes', ['before', `2026 F ${begin()}`, `2026 F ${BASE64}`, 'after'].join('\n')],
    ['without its end on one line', `before\n"${begin()}\\n${BASE64}\\n${BASE64}\nafter`],
  ])('goes: %s', (_name, text) => {
    const out = redact(text);

    expect(out).not.toContain(BASE64.slice(0, 12));
    expect(out).toContain('[redacted:private-key]');
    expect(out.split('\n')).toHaveLength(text.split('\n').length);
    expect(out.split('\n')[0]).toBe('before');
    expect(out.split('\n').at(-1)).toBe('after');
    expect(redact(out)).toBe(out);
  });

  it('does not take the log with it where only the first line of a key is mentioned', () => {
    const log = 'torch.OutOfMemoryError: CUDA out of memory.\n'.repeat(50);

    expect(redact(`expected ${begin()}\n${log}`)).toContain(log);
  });
});

const WORDS = 'my diagnosis is a rare illness';

it.each([
  [
    'vLLM V0',
    `INFO 07-10 async_llm_engine.py:173] Received request cmpl-1: prompt: '${WORDS}', params: SamplingParams(n=1, stop=[]), prompt_token_ids: [1, 2, 3], lora_request: None.`,
    ['params: SamplingParams(n=1, stop=[])', '[redacted:3 token ids]', 'lora_request: None'],
  ],
  [
    'vLLM V1',
    `DEBUG [logger.py:60] Request chatcmpl-1 details: prompt: "it's ${WORDS}", prompt_token_ids: None, prompt_embeds shape: None.`,
    ['prompt_token_ids: None'],
  ],
  [
    'vLLM output',
    `INFO Generated response cmpl-1: output: '${WORDS}', output_token_ids: [5, 6], finish_reason: stop`,
    ['finish_reason: stop'],
  ],
  [
    'SGLang',
    `Receive: obj=GenerateReqInput(rid='a', text='${WORDS}', input_ids=None, sampling_params={'n': 1})`,
    ["rid='a'", "sampling_params={'n': 1}"],
  ],
  [
    'SGLang list',
    `Receive: obj=GenerateReqInput(text=['${WORDS}', 'a]b'], input_ids=[[1, 2], [3]], stream=False)`,
    ['stream=False', '[redacted:3 token ids]'],
  ],
  [
    'SGLang finish',
    `Finish: obj=GenerateReqInput(text=None), out={'text': '${WORDS}', 'output_ids': [1, 2], 'meta_info': {'id': 'x'}}`,
    ["'meta_info': {'id': 'x'}"],
  ],
  [
    'TGI',
    `DEBUG text_generation_router::server: router/src/server.rs:200: Input: ${WORDS}`,
    ['router/src/server.rs:200'],
  ],
  [
    'TGI JSON',
    `{"timestamp":"x","level":"DEBUG","message":"Input: ${WORDS}","target":"text_generation_router::server"}`,
    ['"target"'],
  ],
  ['TGI inputs', `GenerateRequest { inputs: "${WORDS}", parameters: x }`, ['parameters: x']],
  [
    'OpenAI',
    `ChatCompletionRequest(messages=[{'role': 'user', 'content': '${WORDS}'}], model='m')`,
    ["'role': 'user'", "model='m'"],
  ],
  ['JSON in JSON', `{"body":"{\\"prompt\\": \\"${WORDS}\\", \\"n\\": 1}"}`, ['\\"n\\": 1']],
  ['a refused request', `[type=missing, input_value='${WORDS}', input_type=str]`, ['input_type=str']],
  ['embeddings', `{"input": "${WORDS}", "model": "m"}`, ['"model": "m"']],
  ['vLLM, old', `Received request x: prompt: '${WORDS}', prompt token ids: [1, 2].`, ['[redacted:2 token ids]']],
  ['LMDeploy', `session=1, prompt='${WORDS}', prompt_token_id=[1, 2]`, ['[redacted:2 token ids]']],
  ['completions', `CompletionRequest(prompt='a', best_of=None, suffix='${WORDS}')`, ['best_of=None']],
  ['Rust', `Message { role: "user", content: Some("${WORDS}"), name: None }`, ['name: None']],
  ['Rust, one of several', `EmbedRequest { inputs: Single(String("${WORDS}")), truncate: None }`, ['truncate: None']],
  ['what a model thinks', `{"message":{"thinking":"${WORDS}"},"n":1}`, ['"n":1']],
  ['instructions', `{"instructions":"${WORDS}","system":"${WORDS}","n":1}`, ['"n":1']],
  ['a call of a tool', JSON.stringify({ name: 'f', arguments: JSON.stringify({ q: WORDS }) }), ['"name":"f"']],
  ['reranking', `{"query":"${WORDS}","documents":["${WORDS}","${WORDS}"],"n":1}`, ['"n":1']],
  ['an answer', `{"text_output":"${WORDS}","n":1}`, ['"n":1']],
  ['an access log', `"GET /generate?prompt=${encodeURIComponent(WORDS)}&n=1 HTTP/1.1" 200`, ['&n=1 HTTP/1.1" 200']],
  ['an access log, as a form', `"GET /chat?n=1&message=${WORDS.replaceAll(' ', '+')} HTTP/1.1" 200`, ['HTTP/1.1" 200']],
  ['a template', `<|im_start|>user\n${WORDS}<|im_end|>\n<|im_start|>assistant`, ['<|im_end|>\n<|im_start|>assistant']],
  ['a template of Llama', `<|end_header_id|>\\n\\n${WORDS}<|eot_id|>, n=1`, ['<|eot_id|>, n=1']],
  ['a template of Mistral', `[INST] ${WORDS} [/INST] n`, ['[/INST] n']],
  ['a mark inside the words', `prompt: '[redacted:prompt 1 characters] ${WORDS}', params: x`, ['params: x']],
])('words of users go, with their length kept: %s', (_name, line, kept) => {
  const out = redact(line);

  expect(out).not.toContain('illness');
  expect(out).toMatch(/\[redacted:prompt \d+ characters\]/);
  for (const piece of kept) expect(out).toContain(piece);
  expect(redact(out)).toBe(out);
});

describe('words over several lines go up to the next line of the engine', () => {
  const NEXT = '2026-07-10T10:04:51.000000Z  INFO text_generation_router: next';

  it.each([
    ['TGI', `2026-07-10T10:04:51.000000Z DEBUG text_generation_router::server: Input: a\n${WORDS}\n\n${WORDS}`, NEXT],
    [
      'TGI behind the time of the kubelet',
      `2026-07-10T10:04:51.1Z 2026-07-10T10:04:51.0Z DEBUG text_generation_router: Input: a\n2026-07-10T10:04:51.1Z ${WORDS}`,
      `2026-07-10T10:04:51.2Z ${NEXT}`,
    ],
    [
      'llama.cpp',
      `srv  format_chat: formatted_chat: '\n<|im_start|>user\n${WORDS}<|im_end|>\n'`,
      'slot launch_slot_: id 0',
    ],
    ['LocalAI', `2:04PM DBG Prompt (after templating): a\n${WORDS}`, '2:04PM DBG next'],
    ['a text in quotes', `Received request x: prompt: 'a\n${WORDS}', params: SamplingParams(n=1)`, 'next'],
    ['a text in quotes that is cut', `Received request x: prompt: 'a\r\n${WORDS}`, 'INFO 07-10 10:00:00 next'],
    ['an error behind', `Received request x: prompt: 'a\n${WORDS}`, 'torch.OutOfMemoryError: CUDA out of memory.'],
    ['a remark behind', `Received request x: prompt: 'a\n${WORDS}`, '# ... 5 bytes not kept ...'],
  ])('%s', (_name, text, next) => {
    const out = redact(`before\n${text}\n${next}`);

    expect(out).not.toContain('illness');
    expect(out.split('\n')).toHaveLength(`before\n${text}\n${next}`.split('\n').length);
    expect(out.split('\n').at(-1)).toBe(next);
    expect(redact(out)).toBe(out);
  });
});

describe('however long it is', () => {
  const MB = 1_000_000;
  const LAST = 'Yq8gL3nXy6';

  it.each([
    ['a prompt', `Received request x: prompt: '${'tell me '.repeat(MB)}${LAST}', params: SamplingParams(n=1)`],
    ['a list of token ids', `prompt_token_ids: [${'12345, '.repeat(MB)}98765], lora_request: None`],
    ['a picture', `'url': 'data:image/png;base64,${'iVBORw0KGg'.repeat(MB)}${LAST}'`],
    ['messages', `{"messages":[{"content":"${'tell me '.repeat(MB)}${LAST}"}],"n":1}`],
    ['inputs', `{"input":["${'me","'.repeat(2 * MB)}${LAST}"],"n":1}`],
    ['a value', `MY_SECRET=${'abc1'.repeat(5000)}${LAST}`],
    ['a token', `pypi-${'abc1'.repeat(5000)}${LAST}`],
    ['a header', `Authorization: Bearer ${'abc1'.repeat(9000)}${LAST}`],
    ['a cookie', `cookie: a=${'abc1'.repeat(9000)}${LAST}`],
    ['a JWT', `eyJhbGciOiJIUzI1NiJ9.${'abc1'.repeat(9000)}${LAST}.abcdefgh`],
    ['a login', `{"auths":{"r":{"auth":"${'abc1'.repeat(9000)}${LAST}"}}}`],
  ])('%s goes whole', (_name, line) => {
    const out = redact(`before\n${line}\nafter`);

    expect(out.split('\n')).toHaveLength(3);
    expect(out.length).toBeLessThan(66_000);
    for (const rest of [LAST, '98765']) expect(out.includes(rest)).toBe(false);
    expect(redact(out) === out).toBe(true);
  });
});

describe('own patterns', () => {
  it('are applied too, under their names', () => {
    const own = createRedactor({ patterns: [{ name: 'customer', pattern: 'cust-[0-9]{4}' }] });

    expect(own.redact('for cust-1234')).toBe('for [redacted:customer]');
  });

  it('take linear time, however they are nested', () => {
    const own = createRedactor({ patterns: [{ name: 'own', pattern: '(?:(?:(?:x+)+)+)+y' }] });

    // A backtracking engine would not end.
    expect(growthWith('x'.repeat(50_000), own.redact)).toBeLessThan(FAR_FROM_QUADRATIC);
  });
});
