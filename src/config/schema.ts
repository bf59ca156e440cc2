import { z } from 'zod';
import { ActionId } from '../model/action.ts';
import { ACT_VERBS } from '../model/authorise.ts';
import { patternFault } from '../model/linear-pattern.ts';
import { ActingConfig, ClusterActingConfig } from './acting-schema.ts';
import { StoreConfig } from './store-schema.ts';

const text = () => z.string().min(1);
const name = () =>
  z.string().regex(/^[a-z0-9]([-a-z0-9.]{0,61}[a-z0-9])?$/, { error: 'is no name: small letters, digits, - and .' });
const pattern = () =>
  z.string().regex(/^([a-z0-9]([-a-z0-9]*[a-z0-9])?|([a-z0-9][-a-z0-9]*)?\*)$/, {
    error: 'is no namespace: small letters, digits and -, and perhaps a * at the end',
  });

/** Values of these fields are never printed; see effective-config.ts. */
const secret = (says: string) => text().meta({ description: says, secret: true });

// Sent in a header, which takes no other signs: what was copied with an ellipsis or a blank ends in a fault of the network.
const token = (says: string) =>
  text()
    .refine((it) => /^[!-~]+$/.test(it), {
      error: 'holds a blank or a sign that no token has: copy the whole token again',
    })
    .meta({ description: says, secret: true });

const ScopeConfig = z.strictObject({
  clusters: z.array(text()).default(['*']).describe('Names of clusters; a name may end in `*`.'),
  namespaces: z.array(pattern()).describe('Namespaces; a name may end in `*`.'),
});

const BasicConfig = z
  .strictObject({
    user: text().describe('User of basic authentication.'),
    password: secret('Its password; better in `passwordFile`.').optional(),
    passwordFile: text().describe('File that holds the password; read again when it changes.').optional(),
  })
  .refine((b) => (b.password === undefined) !== (b.passwordFile === undefined), {
    error: 'needs one of `password` and `passwordFile`',
  });

const TlsConfig = z.strictObject({
  caFile: text().describe('File with the certificates of the authority to trust.').optional(),
  certFile: text().describe('File with our own certificate.').optional(),
  keyFile: text().describe('File with its key.').optional(),
  insecure: z.boolean().default(false).describe('Trust any certificate. For trials only.'),
});

export const PrometheusConfig = z
  .strictObject({
    url: z
      .url({ protocol: /^https?$/ })
      .refine((url) => !/^[a-z]+:\/\/[^/?#]*@/i.test(url), {
        error: 'has a user or password in it: put them under `basic`',
      })
      .describe('Base address, with the path prefix if there is one.'),
    bearerToken: secret('Bearer token; better in `bearerTokenFile`.').optional(),
    bearerTokenFile: text()
      .describe('File that holds a bearer token; read again when it changes and after an answer 401.')
      .optional(),
    basic: BasicConfig.describe('Basic authentication.').optional(),
    tls: TlsConfig.describe('TLS, where the system settings do not fit.').optional(),
    headers: z
      .record(text(), secret('Value of a header.'))
      .default({})
      .describe('Extra headers, as `X-Scope-OrgID: team`.'),
    labels: z
      .record(z.string().regex(/^[a-zA-Z_][a-zA-Z0-9_]*$/, { error: 'is no label name' }), z.string())
      .default({})
      .describe('Extra label matchers, where one Prometheus holds several clusters: `cluster: prod`.'),
    timeoutSeconds: z.number().min(0.1).max(60).default(5).describe('Longest wait for one answer, in seconds.'),
  })
  .refine((p) => [p.bearerToken, p.bearerTokenFile, p.basic].filter((x) => x !== undefined).length <= 1, {
    error: 'has more than one of `bearerToken`, `bearerTokenFile` and `basic`',
  });
export type PrometheusConfig = z.infer<typeof PrometheusConfig>;

const EngineMetricsConfig = z.strictObject({
  podIP: z
    .boolean()
    .default(true)
    .describe(
      'Read the `/metrics` of an engine by pod IP where Prometheus has nothing. Only with `inCluster: true`: elsewhere the address may be of another host.',
    ),
  proxy: z
    .boolean()
    .optional()
    .describe(
      'Read it through the pod proxy of the API server. Needs `get` on `pods/proxy`, which opens every port of every pod it covers. Left out: yes without `inCluster`, else no.',
    ),
});

export const ClusterConfig = z
  .strictObject({
    name: name().describe('Name, as people type it: `oom triage prod/llm/vllm-0`.'),
    inCluster: z.boolean().default(false).describe('The cluster that the bot runs in, by its service account.'),
    kubeconfig: text().describe('A kubeconfig file; KUBECONFIG or the default place where it is left out.').optional(),
    context: text().describe('Context of the kubeconfig; its current one where it is left out.').optional(),
    namespaces: z
      .array(pattern())
      .min(1)
      .default(['*'])
      .describe('Namespaces in which the bot may look for pods; a name may end in `*`.'),
    prometheus: PrometheusConfig.describe('The Prometheus that watches this cluster.').optional(),
    engineMetrics: EngineMetricsConfig.prefault({}).describe('The metrics of engines themselves.'),
    acting: ClusterActingConfig.describe(
      'Allows changes in this cluster. Without it commands are printed instead.',
    ).optional(),
  })
  .refine((c) => !(c.inCluster && (c.kubeconfig !== undefined || c.context !== undefined)), {
    error: 'has `inCluster: true` and also `kubeconfig` or `context`',
  });
export type ClusterConfig = z.infer<typeof ClusterConfig>;

export const SlackConfig = z.strictObject({
  mode: z
    .enum(['socket', 'http'])
    .default('socket')
    .describe('`socket` needs no open port; `http` needs one that Slack can reach.'),
  port: z.int().min(1).max(65535).default(3000).describe('Port of mode `http`.'),
  command: z
    .string()
    .regex(/^\/[a-z0-9_-]{1,31}$/, { error: 'is no command: a slash and at most 31 small letters, digits, - or _' })
    .default('/oom')
    .describe('The slash command, as in the Slack app.'),
  appHome: z.boolean().default(true).describe('Show open incidents in the Home tab of the app.'),
  apiUrl: z
    .url({ protocol: /^https?$/ })
    .default('https://slack.com/api/')
    .describe('Address of Slack’s Web API.'),
  botToken: token('Bot token (`xoxb-…`); usually SLACK_BOT_TOKEN.').optional(),
  botTokenFile: text().describe('File that holds it.').optional(),
  appToken: token('App-level token (`xapp-…`) of mode `socket`; usually SLACK_APP_TOKEN.').optional(),
  appTokenFile: text().describe('File that holds it.').optional(),
  signingSecret: secret('Signing secret of mode `http`; usually SLACK_SIGNING_SECRET.').optional(),
  signingSecretFile: text().describe('File that holds it.').optional(),
});
export type SlackConfig = z.infer<typeof SlackConfig>;

const ActConfig = z.strictObject({
  users: z.array(text()).default([]).describe('Slack user ids. An empty list is nobody.'),
  groups: z.array(text()).default([]).describe('Slack user group ids. An empty list is nobody.'),
  verbs: z.array(z.enum(ACT_VERBS)).min(1).describe('What they may do.'),
  actions: z
    .array(ActionId.exclude(['advise']))
    .min(1)
    .optional()
    .describe('With which actions; with all where it is left out.'),
  scope: ScopeConfig.describe('Where they may do it.'),
});

const RedactionPattern = z.strictObject({
  name: name().describe('What stands in place of the match: `[redacted:name]`.'),
  pattern: text()
    .superRefine((text, context) => {
      const message = patternFault(text);
      if (message !== undefined) context.addIssue({ code: 'custom', message });
    })
    .describe('A regular expression in RE2 syntax: no lookahead, lookbehind or backreference. It runs in linear time.'),
});

/** The whole configuration. Keys that are not here are errors. */
export const Config = z.strictObject({
  clusters: z
    .array(ClusterConfig)
    .default([])
    .describe('Clusters to look at. Without any: the one the bot runs in, or the current context of KUBECONFIG.'),
  defaultCluster: text().describe('The cluster that is meant where none is named.').optional(),
  slack: SlackConfig.prefault({}).describe('Slack.'),
  channels: z
    .record(text(), ScopeConfig)
    .default({})
    .describe(
      'What each Slack channel may read, by channel id. Without any entry every channel may read what the bot may.',
    ),
  defaultChannel: ScopeConfig.nullable()
    .describe(
      'What a channel may read that is not in `channels`; `null` is nothing, and is meant where `channels` has entries.',
    )
    .optional(),
  act: z.array(ActConfig).default([]).describe('Who may act, and where. Empty means nobody.'),
  acting: ActingConfig.prefault({}).describe('How changes are approved and carried out.'),
  store: StoreConfig.prefault({}).describe('Durable state.'),
  incidents: z
    .strictObject({
      windowMinutes: z
        .number()
        .positive()
        .default(10_080)
        .describe('A repeat within this time joins the incident, and reopens it if it was closed. A later one is new.'),
      quietHours: z
        .number()
        .nonnegative()
        .default(24)
        .describe('Closes an incident that was not seen for this time while all pods were ready; 0 never does.'),
    })
    .prefault({})
    .describe('What counts as one incident.'),
  redaction: z
    .strictObject({
      patterns: z
        .array(RedactionPattern)
        .default([])
        .describe('Own patterns, beside the built-in ones for tokens, credentials and prompts.'),
    })
    .prefault({})
    .describe('What is taken out of evidence as it is read.'),
  playbooks: z
    .strictObject({
      dirs: z
        .array(text())
        .default([])
        .describe('Own playbook folders; their files override the built-in ones with the same path, in this order.'),
      thresholds: z
        .record(text(), z.union([z.number(), text()]))
        .default({})
        .describe('Values for thresholds of the playbook by name, such as `pool-full: 0.97`.'),
    })
    .prefault({})
    .describe('Playbooks.'),
  limits: z
    .strictObject({
      deadlineSeconds: z
        .number()
        .min(1)
        .max(600)
        .default(20)
        .describe('Longest time for the reading of one triage, in seconds.'),
      calls: z.int().min(1).default(24).describe('API calls of one triage, those for logs included.'),
      logs: z.int().min(0).default(6).describe('Calls for logs.'),
      bytes: z.int().min(1).default(9_000_000).describe('Bytes read.'),
      deepBytes: z.int().min(1).default(67_108_864).describe('Bytes read where the ends of the log hold no signature.'),
    })
    .prefault({})
    .describe('What one triage may cost.'),
  logLevel: z
    .enum(['silent', 'error', 'warn', 'info', 'debug'])
    .default('info')
    .describe('Least level of the bot’s own log.'),
});
export type Config = z.infer<typeof Config>;
