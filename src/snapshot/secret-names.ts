const SECRET = new Set([
  'secret',
  'password',
  'passwd',
  'passphrase',
  'apikey',
  'credential',
  'credentials',
  'dsn',
  'jwt',
  'cookie',
]);
const JOINED =
  /(?:password|passwd|passphrase|requirepass|apikey|secretkey|(?:hf|auth|identity|access|api|bearer|session|refresh|id|hub|csrf)token)$/;
// Tokens of text, of a tokenizer or of a file system, which engines print all the time.
const TEXT_TOKENS = new Set(
  'eos bos pad unk mask sep cls image images video audio stop special next first last new cached pending full per max min num draft prompt output input fsync decode prefill sampled accepted bonus start end placeholder think'.split(
    ' ',
  ),
);
const KEY_OWNERS = new Set(
  'api access private secret account auth license signing signature encryption master storage ssh hf openai anthropic ngc nvidia wandb client service shared sas webhook subscription integration'.split(
    ' ',
  ),
);
const SEVERAL = new Set(['tokens', 'keys', 'secrets', 'passwords']);
const SEVERAL_OWNERS = new Set(['api', 'auth', 'access', 'bearer', 'hf']);
const AUTH_OWNERS = new Set(['redis', 'basic', 'proxy', 'npm', 'registry', 'docker', 'http']);
const FORMS = new Set(['value', 'base', 'json', 'b64', 'base64', 'raw', 'plain', 'plaintext', 'text', 'data']);
// Variables of a process; `key` in other names is mostly that of a table.
const KEY_VARIABLE = /^(?:[A-Z0-9]+_)*KEY$/;
// What a model is told first.
const PROMPT_VARIABLE = /^(?:[A-Z0-9]+_)*PROMPT$/;
const PLAIN_KEYS = new Set('public cache partition routing sort hash primary foreign topology label index'.split(' '));
const PAT_OWNERS = new Set('github gitlab git hf azure ado devops'.split(' '));

/** Whether what a name stands for is a secret: HF_TOKEN, dbPassword, --api-key are; MAX_TOTAL_TOKENS, secretName, eos_token are not. */
export function isSecretName(name: string): boolean {
  const words = wordsOf(name);
  const last = words.at(-1) ?? '';
  const before = words.at(-2) ?? '';
  if (SECRET.has(last)) return !(last === 'secret' && (before === 'pull' || before === 'image'));
  if (JOINED.test(last) || PROMPT_VARIABLE.test(name)) return true;
  if (last === 'token') return !TEXT_TOKENS.has(before);
  if (last === 'key') return KEY_OWNERS.has(before) || (KEY_VARIABLE.test(name) && !PLAIN_KEYS.has(before));
  return isSecretPair(before, last);
}

/** A number behind such a name is a count (`#new-token: 8192`), not a credential. */
export function namesToken(name: string): boolean {
  return wordsOf(name).at(-1) === 'token';
}

function isSecretPair(before: string, last: string): boolean {
  if (SEVERAL.has(last)) return SEVERAL_OWNERS.has(before);
  if (last === 'auth') return AUTH_OWNERS.has(before);
  if (last === 'pwd') return before !== 'old';
  if (last === 'pass' || last === 'pw') return before !== '';
  if (last === 'pat') return PAT_OWNERS.has(before);
  if (last === 'signature') return before === 'access';
  return (last === 'url' && before === 'webhook') || (last === 'string' && before === 'connection');
}

function wordsOf(name: string): string[] {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '' && !/^\d+$/.test(word));
  while (words.length > 1 && FORMS.has(words.at(-1) ?? '')) words.pop();
  return words;
}
