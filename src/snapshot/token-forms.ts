// What follows a prefix. Lengths are the shortest that an issuer uses, so that no name of a pod is taken for a token.
const ALNUM = '[A-Za-z0-9]';
const HEX = '[A-Fa-f0-9]';
const WORD = '[A-Za-z0-9_-]';
const WIDE = '[A-Za-z0-9_.=+/-]';

type Form = readonly [name: string, prefix: string, letters: string, least: number];

/**
 * Tokens with a prefix of their issuer. Sources: github.com/gitleaks/gitleaks, config/gitleaks.toml at b58d3f10 (forms
 * only), and for those that it lacks the issuer's documentation of its keys.
 */
const FORMS: readonly Form[] = [
  ['1password-token', 'ops_eyJ', WIDE, 100],
  ['1password-token', 'A3-[A-Z0-9]{6}-', '[A-Z0-9-]', 25],
  ['adobe-secret', 'p8e-', ALNUM, 32],
  ['age-key', 'AGE-SECRET-KEY-1', '[A-Z0-9]', 58],
  ['airtable-token', `pat${ALNUM}{14}\\.`, HEX, 64],
  ['alibaba-key', 'LTAI', ALNUM, 20],
  ['anyscale-key', 'esecret_', ALNUM, 20],
  ['artifactory-token', 'AKCp|cmVmd', ALNUM, 59],
  ['atlassian-token', 'ATATT3|ATCTT3|ATBB', WIDE, 24],
  ['authress-key', '(?:sc|ext|scauth|authress)_[a-z0-9]{5,30}\\.[a-z0-9]{4,6}\\.acc[_-]', WIDE, 30],
  ['azure-secret', '[A-Za-z0-9_~.]{3}\\dQ~', '[A-Za-z0-9_~.-]', 31],
  ['bedrock-key', 'ABSK|bedrock-api-key-', WIDE, 60],
  ['buildkite-token', 'bkua_', HEX, 40],
  ['cerebras-key', 'csk-', ALNUM, 40],
  ['circleci-token', '(?:CCIPAT|CCIPRJ)_', WORD, 32],
  ['clickhouse-key', '4b1d', ALNUM, 38],
  ['clojars-token', 'CLOJARS_', ALNUM, 60],
  ['cloudflare-key', 'v1\\.0-', '[a-f0-9-]', 100],
  ['databricks-token', '(?:dapi|dose|dkea|dsapi)', HEX, 32],
  ['digitalocean-token', 'do[opr]_v1_', HEX, 64],
  [
    'discord-webhook',
    '(?:discord|discordapp)\\.com(?:/|%2F)api(?:/|%2F)(?:v\\d{1,2}(?:/|%2F))?webhooks(?:/|%2F)',
    '[A-Za-z0-9_/%-]',
    40,
  ],
  ['discord-token', '[MNO][A-Za-z0-9_-]{23,25}\\.[A-Za-z0-9_-]{6}\\.', WORD, 27],
  ['docker-token', 'dckr_[po]at_', WORD, 20],
  ['doppler-token', 'dp\\.(?:pt|st|ct|sa|scim|audit)\\.', '[A-Za-z0-9_.-]', 40],
  ['duffel-token', 'duffel_(?:test|live)_', '[A-Za-z0-9_=-]', 43],
  ['dynatrace-token', 'dt0[a-z]\\d{2}\\.', '[A-Za-z0-9.]', 64],
  ['easypost-token', 'EZ[AT]K', ALNUM, 54],
  ['facebook-token', 'EAA[MC]', ALNUM, 100],
  ['facebook-token', '\\d{15,16}\\|', WORD, 27],
  ['figma-token', 'figd_', WORD, 30],
  ['fireworks-key', 'fw_', ALNUM, 22],
  ['flutterwave-key', 'FLWSECK(?:_TEST)?-', '[A-Za-z0-9-]', 12],
  ['flyio-token', 'fo1_|fm1[ar]_|fm2_', WIDE, 43],
  ['frameio-token', 'fio-u-', '[A-Za-z0-9_=-]', 64],
  ['gitlab-token', 'gl(?:pat|dt|ft|imt|agent|oas|rt|soat|ptt|cbt|ffct|rtr|wt)-|GR1348941', '[A-Za-z0-9_.-]', 16],
  ['gitlab-token', '_gitlab_session=', ALNUM, 32],
  ['grafana-token', 'glc_|glsa_|eyJrIjoi', '[A-Za-z0-9_=+/]', 32],
  ['groq-key', 'gsk_', ALNUM, 20],
  ['harness-key', '[ps]at\\.[A-Za-z0-9_-]{22}\\.[A-Za-z0-9]{24}\\.', ALNUM, 20],
  ['heroku-key', 'HRKU-', WORD, 36],
  ['infracost-token', 'ico-', ALNUM, 32],
  ['intra42-secret', 's-s4t2(?:ud|af)-', HEX, 64],
  ['jina-key', 'jina_', ALNUM, 40],
  ['langsmith-key', 'lsv2_[a-z]{2}_|ls__', '[A-Za-z0-9_]', 32],
  ['linear-key', 'lin_(?:api|oauth)_', ALNUM, 40],
  ['mailchimp-key', `${HEX}{32}-us`, '\\d', 1],
  ['mailgun-key', '(?:pub)?key-', HEX, 32],
  ['maxmind-key', `${ALNUM}{6}_${ALNUM}{29}_`, '[mk]', 3],
  ['modal-token', 'a[ks]-', ALNUM, 22],
  ['netlify-token', 'nf[pcoub]_', ALNUM, 36],
  ['newrelic-key', 'NR(?:AK|II|IQ|JS|RA)-', WORD, 19],
  ['notion-token', 'ntn_|secret_', ALNUM, 43],
  ['npm-token', 'npm_', ALNUM, 30],
  ['octopus-key', 'API-', '[A-Z0-9]', 26],
  ['openshift-token', 'sha256~', WORD, 43],
  ['perplexity-key', 'pplx-', ALNUM, 40],
  ['pinecone-key', 'pcsk_', '[A-Za-z0-9_]', 40],
  ['planetscale-token', 'pscale_(?:tkn|oauth|pw)_', WIDE, 32],
  ['postman-key', 'PMAK-', '[a-f0-9-]', 59],
  ['prefect-token', 'pn[ub]_', ALNUM, 36],
  ['pulumi-token', 'pul-', HEX, 40],
  ['pypi-token', 'pypi-', WORD, 50],
  ['readme-token', 'rdme_', ALNUM, 70],
  ['replicate-token', 'r8_', ALNUM, 30],
  ['rubygems-token', 'rubygems_', HEX, 48],
  ['runpod-key', 'rpa_', ALNUM, 40],
  ['scalingo-token', 'tk-us-', WORD, 48],
  ['sendgrid-key', 'SG\\.', '[A-Za-z0-9_=.-]', 60],
  ['sendinblue-key', 'xkeysib-', '[A-Za-z0-9-]', 64],
  ['sentry-token', 'sntry[su]_', WIDE, 60],
  ['settlemint-token', 'sm_[aps]at_', ALNUM, 16],
  ['shippo-token', 'shippo_(?:live|test)_', HEX, 40],
  ['shopify-token', 'shp(?:at|ca|pa|ss)_', HEX, 32],
  ['sonar-token', 'sq[upa]_', HEX, 40],
  ['sourcegraph-token', 'sgp_', '[A-Za-z0-9_]', 40],
  ['square-token', 'sq0(?:atp|csp)-|EAAA', WORD, 22],
  ['stripe-key', '[sr]k_(?:live|test|prod)_|whsec_', ALNUM, 12],
  ['supabase-key', 'sbp_|sb_secret_', WORD, 22],
  ['tailscale-key', 'tskey-[a-z]{2,10}-', '[A-Za-z0-9-]', 20],
  ['tavily-key', 'tvly-', WORD, 24],
  ['teams-webhook', 'webhook\\.office\\.com(?:/|%2F)webhookb2(?:/|%2F)', '[A-Za-z0-9@%/-]', 60],
  ['telegram-token', '\\d{8,10}(?::|%3A)AA', WORD, 32],
  ['terraform-token', `${ALNUM}{14}\\.atlasv1\\.`, '[A-Za-z0-9_=-]', 50],
  ['together-key', 'tgp_v1_', WORD, 30],
  ['twilio-key', 'SK', HEX, 32],
  ['typeform-token', 'tfp_', WIDE, 40],
  ['vault-token', 'hv[bsr]\\.', WORD, 24],
  ['vault-token', 's\\.(?=[A-Za-z]{0,23}\\d)', ALNUM, 24],
  ['vercel-token', 'vc[pika]_', ALNUM, 24],
  ['wandb-key', 'wandb_v1_', WORD, 40],
  ['xai-key', 'xai-', ALNUM, 60],
  ['yandex-key', 'AQVN|YC[A-Z]', WORD, 35],
];

const byLetters = [...Map.groupBy(FORMS, ([, , letters]) => letters)].map(([letters, forms]) => {
  const prefixes = forms.map(([, prefix, , least]) => `(?:${prefix})(?=${letters}{${least}})`);
  return `(?:${prefixes.join('|')})${letters}+`;
});

/** All of them in one expression: a look for each prefix by itself would cost more. */
export const TOKEN_FORM = new RegExp(byLetters.join('|'));
