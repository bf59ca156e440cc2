/** `keep` and `after` are groups of the match that stay; `literals`: at least one stands in every text that matches. */
export type RedactionPattern = {
  readonly name: string;
  readonly find: RegExp;
  readonly literals?: readonly string[];
};

/**
 * Tokens and credentials by their own form. Sources: the issuers' documentation of their token formats. No expression
 * begins inside what it could itself have matched (the look-behinds), so that long runs are read once.
 */
export const PATTERNS: readonly RedactionPattern[] = [
  {
    name: 'huggingface-token',
    literals: ['hf_', 'api_org_'],
    find: /(?<![A-Za-z0-9])(?:hf|api_org)_[A-Za-z0-9]{16,400}/g,
  },
  {
    name: 'github-token',
    literals: ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_', 'github_pat_'],
    find: /(?<![A-Za-z0-9])(?:gh[pousr]_[A-Za-z0-9]{20,400}|github_pat_[A-Za-z0-9_]{22,400})/g,
  },
  { name: 'gitlab-token', literals: ['glpat-'], find: /(?<![A-Za-z0-9_-])glpat-[A-Za-z0-9_.-]{16,200}/g },
  {
    name: 'slack-token',
    literals: ['xox', 'xapp-', 'hooks.slack.com'],
    find: /(?<![A-Za-z0-9])(?:xox[a-z]{1,3}(?:\.xox[a-z])?-[A-Za-z0-9-]{8,400}|xapp-[A-Za-z0-9-]{8,400})|hooks\.slack\.com\/(?:services|workflows|triggers)\/[A-Za-z0-9/_-]{8,400}/g,
  },
  {
    // A key without a maker's word is one unbroken run, or a pod called sk-vllm-7d8f6f9c6b would be one.
    name: 'openai-key',
    literals: ['sk-', 'sk_live_', 'rk_live_'],
    find: /(?<![A-Za-z0-9])(?:sk-(?:(?:proj|svcacct|admin|service|ant|or|lf|None)-[A-Za-z0-9_-]{16,400}|[A-Za-z0-9]{20,400})|[sr]k_live_[A-Za-z0-9]{16,400})/g,
  },
  { name: 'nvidia-key', literals: ['nvapi-'], find: /(?<![A-Za-z0-9_-])nvapi-[A-Za-z0-9_-]{16,400}/g },
  {
    name: 'google-key',
    literals: ['AIza', 'ya29.', 'GOCSPX-'],
    find: /(?<![A-Za-z0-9_.-])(?:AIza[A-Za-z0-9_-]{30,100}|ya29\.[A-Za-z0-9._-]{20,2000}|GOCSPX-[A-Za-z0-9_-]{20,100})/g,
  },
  {
    name: 'aws-key',
    literals: ['AKIA', 'ASIA', 'ABIA', 'ACCA'],
    find: /(?<![A-Za-z0-9])(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])/g,
  },
  {
    name: 'jwt',
    literals: ['eyJ'],
    find: /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{6,8000}\.[A-Za-z0-9_-]{6,16000}(?:\.[A-Za-z0-9_-]{0,8000}){0,3}/g,
  },
  {
    name: 'credentials',
    literals: ['://'],
    find: /(?<keep>(?<![A-Za-z0-9+.-])[a-z][a-z0-9+.-]{1,20}:\/\/)(?:[^\s/@:"'`<>]{0,200}:[^\s/@"'`<>]{1,2000}|[^\s/@:"'`<>]{16,2000})(?<after>@)/gi,
  },
  {
    // Signed links to a model's files, which engines print when a download fails.
    name: 'signature',
    literals: ['ignature=', 'redential=', 'ecurity-Token=', 'sig=', 'Policy='],
    find: /(?<keep>[?&;](?:X-(?:Amz|Goog)-(?:Signature|Credential|Security-Token)|Signature|Policy|sig)=)[^&\s"'`<>\\[]{4,8000}/g,
  },
  {
    name: 'authorization',
    find: /(?<keep>(?<![A-Za-z0-9])(?:proxy-)?authorization\\{0,6}["']?[ \t]{0,8}[:=][ \t]{0,8}[bru]?\\{0,6}["']?(?:(?:bearer|basic|token|digest|negotiate|apikey)[ \t]{1,8})?)(?!(?:bearer|basic|token|digest|negotiate|apikey|none|null)\b)[A-Za-z0-9._~+/=:-]{4,16000}/gi,
  },
  {
    name: 'header-key',
    find: /(?<keep>(?<![A-Za-z0-9])(?:x-api-key|x-auth-token|api-key|x-goog-api-key|set-cookie|cookie)\\{0,6}["']?[ \t]{0,8}:[ \t]{0,8}[bru]?\\{0,6}["']?)[A-Za-z0-9._~+/=;, %-]{4,8000}/gi,
  },
  {
    name: 'bearer',
    literals: ['earer', 'EARER', 'asic', 'ASIC'],
    find: /(?<keep>(?<![A-Za-z0-9])(?:bearer|basic)[ \t]{1,8})(?=[A-Za-z._~+/=-]{0,400}[0-9])[A-Za-z0-9._~+/=-]{12,16000}/gi,
  },
  {
    name: 'registry-login',
    literals: ['auth'],
    find: /(?<keep>\\{0,6}["']auth\\{0,6}["']\s?:\s?\\{0,6}["'])[A-Za-z0-9+/=]{8,8000}/g,
  },
];
