/** `keep` and `after` are groups of the match that stay; `literals`: at least one stands in every text that matches. */
export type RedactionPattern = {
  readonly name: string;
  readonly find: RegExp;
  readonly literals?: readonly string[];
};

// Names of variables and keys whose value is a secret. `TOKENIZERS_PARALLELISM`, `max_num_batched_tokens`, `MAX_TOTAL_TOKENS`
// hold none: TOKEN must be a whole word at the end, and not in the plural.
const SECRET_NAME =
  '(?:[A-Za-z0-9]+[_-]){0,8}(?:TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|APIKEY|API[_-]KEY|ACCESS[_-]KEY|PRIVATE[_-]KEY|SECRET[_-]KEY|ACCOUNT[_-]KEY|AUTH[_-]KEY|LICENSE[_-]KEY|CREDENTIALS?|DSN|CONNECTION[_-]STRING|WEBHOOK[_-]URL)(?:[_-](?:KEY|VALUE|ID[_-]RSA|B64|BASE64))?';
const VALUE = '[^\\s"\'`,;&)\\]}<>\\\\]{1,4096}';

/** Tokens and credentials by their own form, then by the name that stands before them. Sources: the issuers' documentation of their token formats. */
export const PATTERNS: readonly RedactionPattern[] = [
  {
    name: 'private-key',
    literals: ['PRIVATE KEY-----'],
    find: /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----(?:(?!-----END )[\s\S]){0,20000}(?:-----END [A-Z ]{0,40}PRIVATE KEY-----)?/g,
  },
  { name: 'huggingface-token', literals: ['hf_', 'api_org_'], find: /\b(?:hf|api_org)_[A-Za-z0-9]{16,200}/g },
  {
    name: 'github-token',
    literals: ['gh', 'github_pat_'],
    find: /\b(?:gh[pousr]_[A-Za-z0-9]{20,255}|github_pat_[A-Za-z0-9_]{22,255})/g,
  },
  { name: 'gitlab-token', literals: ['glpat-'], find: /\bglpat-[A-Za-z0-9_-]{16,100}/g },
  {
    name: 'slack-token',
    literals: ['xox', 'xapp-', 'hooks.slack.com'],
    find: /\b(?:xox[a-z]{1,3}-[A-Za-z0-9-]{8,250}|xapp-[A-Za-z0-9-]{8,250})|hooks\.slack\.com\/(?:services|workflows|triggers)\/[A-Za-z0-9/_-]{8,200}/g,
  },
  { name: 'openai-key', literals: ['sk-'], find: /\bsk-[A-Za-z0-9_-]{16,250}/g },
  { name: 'nvidia-key', literals: ['nvapi-'], find: /\bnvapi-[A-Za-z0-9_-]{16,200}/g },
  {
    name: 'google-key',
    literals: ['AIza', 'ya29.'],
    find: /\b(?:AIza[A-Za-z0-9_-]{30,60}|ya29\.[A-Za-z0-9._-]{20,400})/g,
  },
  { name: 'aws-key', literals: ['AKIA', 'ASIA', 'ABIA', 'ACCA'], find: /\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b/g },
  {
    name: 'jwt',
    literals: ['eyJ'],
    find: /\beyJ[A-Za-z0-9_-]{6,4000}\.[A-Za-z0-9_-]{6,8000}(?:\.[A-Za-z0-9_-]{0,4000})?/g,
  },
  {
    name: 'credentials',
    literals: ['://'],
    find: /(?<keep>\b[a-z][a-z0-9+.-]{1,20}:\/\/)[^\s/@:"'`<>]{0,200}:[^\s/@"'`<>]{1,400}(?<after>@)/gi,
  },
  {
    name: 'authorization',
    find: /(?<keep>\b(?:authorization|proxy-authorization)["']?\s{0,4}[:=]\s{0,4}["']?(?:(?:bearer|basic|token|digest|negotiate)\s{1,4})?)[A-Za-z0-9._~+/=-]{4,8000}/gi,
  },
  {
    name: 'bearer',
    find: /(?<keep>\b(?:bearer|basic)\s{1,4})(?=[A-Za-z0-9._~+/-]{0,8000}\d)[A-Za-z0-9._~+/-]{12,8000}={0,2}/gi,
  },
  {
    // `"name": "HF_TOKEN", "value": "..."` as in a pod's environment, in either spacing.
    name: 'secret-value',
    find: new RegExp(
      `(?<keep>"name"\\s{0,40}:\\s{0,4}"${SECRET_NAME}"\\s{0,40},\\s{0,80}"value"\\s{0,40}:\\s{0,4}")(?:[^"\\\\]|\\\\.){1,8000}(?<after>")`,
      'gi',
    ),
  },
  {
    // NAME=value, NAME: value, --name value, 'name': 'value', also escaped quotes of JSON in JSON.
    name: 'secret-value',
    find: new RegExp(
      `(?<keep>(?<![A-Za-z0-9])-{0,2}${SECRET_NAME}(?:\\\\?["'])?(?:\\s{0,4}[=:]\\s{0,4}|\\s{1,4}(?=[^\\s-])(?<=--[A-Za-z0-9_-]{1,120}\\s{1,4}))(?:\\\\?["'])?)(?!(?:None|null|true|false|\\*{3,})\\b)${VALUE}`,
      'gi',
    ),
  },
];
