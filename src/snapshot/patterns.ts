import { TOKEN_FORM } from './token-forms.ts';

/** `keep` and `after` are groups of the match that stay; `literals`: at least one stands in every text that matches. */
export type RedactionPattern = {
  readonly name: string;
  readonly find: RegExp;
  readonly literals?: readonly string[];
  /** Looked for within these runs alone. */
  readonly within?: RegExp;
};

// A token begins where no word goes on. The last letter of an escape (`\\n`, `\\u0022`, `%3D`) is no word.
const BEGIN = String.raw`(?<![A-Za-z0-9](?<!\\[nrtbf]|\\u[0-9A-Fa-f]{4}|\\x[0-9A-Fa-f]{2}|%[0-9A-Fa-f]{2}))`;

function token(name: string, literals: readonly string[], form: RegExp): RedactionPattern {
  return { name, literals, find: new RegExp(`${BEGIN}(?:${form.source})`, 'g') };
}

const SCHEME = '(?:bearer|basic|token|digest|negotiate|apikey|aws4-[a-z0-9-]{1,30})';
const CREDENTIAL = '[A-Za-z0-9._~+/=:-]';
// Digest and AWS say several things, by their names.
const PARAMETER = String.raw`[A-Za-z_-]{1,40}=(?:\\{0,15}"[^"\n\\]{0,4000}\\{0,15}"|[^\s,"'\\]{1,4000})`;

/**
 * What goes before names are looked at: a header's value has blanks in it, of which a name takes only the first word.
 */
export const HEADERS: readonly RedactionPattern[] = [
  {
    name: 'authorization',
    literals: ['uthorization', 'UTHORIZATION'],
    find: new RegExp(
      String.raw`(?<keep>(?<![A-Za-z0-9])(?:proxy-)?authorization\\{0,15}["']?[ \t]{0,8}[:=][ \t]{0,8}(?:\[(?!redacted:)|[bru](?=["']))?\\{0,15}["']?(?:${SCHEME}[ \t]{1,8})?)(?!(?:${SCHEME}|none|null)\b)(?:${PARAMETER}(?:,[ \t]{0,4}${PARAMETER}){1,30}|${CREDENTIAL}{4,}(?:[ \t]{1,8}(?=[A-Za-z._~+/=:-]{0,400}\d)${CREDENTIAL}{8,})?)`,
      'gi',
    ),
  },
  {
    name: 'cookie',
    literals: ['ookie', 'OOKIE'],
    find: /(?<keep>(?<![A-Za-z0-9])(?:set-)?cookie\\{0,15}["']?[ \t]{0,8}[:=][ \t]{0,8}(?:[bru](?=["']))?\\{0,15}["']?)(?!none\b|null\b)[^\s"'\\[][^\n\r"'\\]{3,}/gi,
  },
  {
    // Pairs, as ASGI servers print them.
    name: 'header-key',
    find: /(?<keep>["'](?:(?:proxy-)?authorization|(?:x-)?(?:goog-)?api-key|x-auth-token|(?:set-)?cookie)["'],[ \t]{0,8}[bru]?["'])[^\n\r"'\\]{1,}/gi,
  },
];

/**
 * Tokens and credentials by their own form. Sources: the issuers' documentation of their token formats. No expression
 * begins inside what it could itself have matched (the look-behinds), so that long runs are read once.
 */
export const PATTERNS: readonly RedactionPattern[] = [
  token('huggingface-token', ['hf_', 'api_org_'], /(?:hf|api_org)_[A-Za-z0-9]{16,}/),
  token(
    'github-token',
    ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_', 'github_pat_'],
    /gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{22,}/,
  ),
  token(
    'slack-token',
    ['xox', 'xapp-', 'hooks.slack.com'],
    /xox[a-z]{1,3}(?:\.xox[a-z])?-[A-Za-z0-9-]{8,}|xapp-[A-Za-z0-9-]{8,}|hooks\.slack\.com(?:\/|%2F)(?:services|workflows|triggers)(?:\/|%2F)[A-Za-z0-9/%_-]{8,}/,
  ),
  // A key without a maker's word is one unbroken run, or a pod called sk-vllm-7d8f6f9c6b would be one.
  token(
    'openai-key',
    ['sk-'],
    /sk-(?:(?:proj|svcacct|admin|service|ant|or|lf|None)-[A-Za-z0-9_-]{16,}|[A-Za-z0-9]{20,})/,
  ),
  // No token is shorter; most words of a log are, and are passed over.
  {
    name: 'token',
    find: new RegExp(`${BEGIN}(?:${TOKEN_FORM.source})`, 'g'),
    within: /(?<![\w.=+/~|:@%\\-])[\w.=+/~|:@%\\-]{20,}/g,
  },
  token('nvidia-key', ['nvapi-'], /nvapi-[A-Za-z0-9_-]{16,}/),
  token(
    'google-key',
    ['AIza', 'ya29.', 'GOCSPX-'],
    /AIza[A-Za-z0-9_-]{30,100}|ya29\.[A-Za-z0-9._-]{20,}|GOCSPX-[A-Za-z0-9_-]{20,100}/,
  ),
  token(
    'aws-key',
    ['A3T', 'AKIA', 'ASIA', 'ABIA', 'ACCA'],
    /(?:A3T[A-Z0-9]|AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])/,
  ),
  // The dots of a run of JWTs are taken with it, or each of them would be a beginning.
  token('jwt', ['eyJ'], /(?<![_-])eyJ[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]{6,}(?:\.[A-Za-z0-9_-]*){0,3}/),
  {
    name: 'credentials',
    literals: ['://', ':\\'],
    find: /(?<keep>(?<![A-Za-z0-9+.-])[a-z][a-z0-9+.-]{1,20}:(?:\\{0,15}\/){2})(?:[^\s/@:"'`<>]{0,200}:(?:(?!\d{1,5}\/)[^\s"'`<>]{1,400}|[^\s/@"'`<>]{1,2000})|[^\s/@:"'`<>]{16,})(?<after>@)/gi,
  },
  {
    // The Go driver of MySQL.
    name: 'credentials',
    literals: ['@tcp(', '@unix('],
    find: /(?<keep>(?<![\w.-])[\w.-]{1,100}:)[^\s"'@[]{1,400}(?<after>@(?:tcp|unix)\()/g,
  },
  {
    // Words that follow a command without a name of their own.
    name: 'credentials',
    literals: ['login', 'sshpass', 'redis-cli', '--from-literal'],
    find: /(?<keep>(?<![A-Za-z0-9])(?:(?:docker|podman|nerdctl|oras|crane|registry)[ \t]login[^\n|&;]{0,200}?[ \t]-p|sshpass[ \t]{1,4}-p|redis-cli[^\n|&;]{0,200}?[ \t](?:-a|--pass)|wandb[ \t]login(?:[ \t]--[a-z-]{1,20})?)[ \t]{1,4}["']?|--from-literal[= ][A-Za-z0-9._-]{1,200}=["']?)(?![-$])[^\s"'\\[][^\s"'\\]*/g,
  },
  {
    name: 'credentials',
    literals: ['machine '],
    find: /(?<keep>\bmachine[ \t]{1,8}\S{1,200}[ \t]{1,8}login[ \t]{1,8}\S{1,200}[ \t]{1,8}password[ \t]{1,8})[^\s[]\S{0,400}/g,
  },
  {
    // curl; a user and group in numbers is docker's.
    name: 'credentials',
    literals: ['-u ', '--user '],
    find: /(?<keep>(?<![A-Za-z0-9_-])(?:-u|--user)[ \t]{1,4}["']?[A-Za-z0-9_.@-]{1,100}:)(?!\d{1,10}(?![A-Za-z0-9]))[^\s"'\\[][^\s"'\\]{0,400}/g,
  },
  {
    name: 'media',
    literals: [';base64,'],
    find: /(?<keep>data:[a-z]{1,20}\/[a-z0-9.+-]{1,60};base64,)[A-Za-z0-9+/=_-]{8,}/g,
  },
  {
    // Signed links to a model's files, which engines print when a download fails.
    name: 'signature',
    literals: ['ignature=', 'redential=', 'ecurity-Token=', 'sig=', 'Policy=', 'key='],
    find: /(?<keep>[?&;](?:X-(?:Amz|Goog)-(?:Signature|Credential|Security-Token)|Signature|Policy|sig|key)=)[^&\s"'`<>\\[]{4,}/g,
  },
  {
    name: 'bearer',
    literals: ['earer', 'EARER', 'asic', 'ASIC'],
    find: /(?<keep>(?<![A-Za-z0-9])(?:bearer|basic)[ \t]{1,8})(?=[A-Za-z._~+/=-]{0,400}[0-9])[A-Za-z0-9._~+/=-]{12,}/gi,
  },
  {
    name: 'registry-login',
    literals: ['auth'],
    find: /(?<keep>\\{0,15}["']auth\\{0,15}["']\s?:\s?\\{0,15}["']|:_auth[ \t]?=[ \t]?)[A-Za-z0-9+/=]{8,}/g,
  },
];
