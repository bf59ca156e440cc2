import { z } from 'zod';
import { ActionId } from '../model/action.ts';
import { ACT_VERBS } from '../model/authorise.ts';
import { patternFault } from '../model/linear-pattern.ts';
import { ActingConfig, ClusterActingConfig } from './acting-schema.ts';
import { AlertsConfig, DashboardConfig } from './alerts-schema.ts';
import { BasicConfig, secret, text } from './credentials-schema.ts';
import { ShiftConfig } from './shift-schema.ts';
import { StoreConfig } from './store-schema.ts';
import { WatchConfig } from './watch-schema.ts';

const name = () =>
  z.string().regex(/^[a-z0-9]([-a-z0-9.]{0,61}[a-z0-9])?$/, {
    error: 'is not a valid name: lowercase letters, digits, - and .',
  });
const pattern = () =>
  z.string().regex(/^([a-z0-9]([-a-z0-9]*[a-z0-9])?|([a-z0-9][-a-z0-9]*)?\*)$/, {
    error: 'is not a namespace: lowercase letters, digits and -, with an optional * at the end',
  });

// Sent in a header, which takes no other signs: what was copied with an ellipsis or a blank ends in a fault of the network.
const token = (says: string) =>
  text()
    .refine((it) => /^[!-~]+$/.test(it), {
      error: 'contains a character that tokens do not have: copy the whole token again',
    })
    .meta({ description: says, secret: true });

const ScopeConfig = z.strictObject({
  clusters: z.array(text()).default(['*']).describe('Clusters.'),
  namespaces: z.array(pattern()).describe('Namespaces.'),
});

const TlsConfig = z.strictObject({
  caFile: text().describe('CA file.').optional(),
  certFile: text().describe('Client certificate file.').optional(),
  keyFile: text().describe('Client key file.').optional(),
  insecure: z.boolean().default(false).describe('Skip certificate checks. For tests only.'),
});

export const PrometheusConfig = z
  .strictObject({
    url: z
      .url({ protocol: /^https?$/ })
      .refine((url) => !/^[a-z]+:\/\/[^/?#]*@/i.test(url), {
        error: 'contains a user or password: put them under `basic`',
      })
      .describe('Base URL with its path prefix.'),
    bearerToken: secret('Bearer token. Prefer `bearerTokenFile`.').optional(),
    bearerTokenFile: text().describe('File with it; read again when it changes or after a 401.').optional(),
    basic: BasicConfig.optional(),
    tls: TlsConfig.optional(),
    headers: z
      .record(text(), secret('Value of a header.'))
      .default({})
      .describe('Extra headers, such as `X-Scope-OrgID: team`.'),
    labels: z
      .record(z.string().regex(/^[a-zA-Z_][a-zA-Z0-9_]*$/, { error: 'is not a label name' }), z.string())
      .default({})
      .describe('Label matchers if one Prometheus holds several clusters: `cluster: prod`.'),
    timeoutSeconds: z.number().min(0.1).max(60).default(5).describe('Timeout per query.'),
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
      "Read the engines' `/metrics` by pod IP if Prometheus has nothing. Only with `inCluster: true`: elsewhere the address may be another host's.",
    ),
  proxy: z
    .boolean()
    .optional()
    .describe(
      "Read them through the API server's pod proxy. Needs `get` on `pods/proxy`, which opens every port of those pods. Default: `true` without `inCluster`.",
    ),
});

export const ClusterConfig = z
  .strictObject({
    name: name().describe('Name, as typed: `oom triage prod/llm/vllm-0`.'),
    inCluster: z.boolean().default(false).describe("Use the pod's service account."),
    kubeconfig: text().describe('Kubeconfig file. Default: KUBECONFIG, else `~/.kube/config`.').optional(),
    context: text().describe('Kubeconfig context. Default: the current one.').optional(),
    namespaces: z.array(pattern()).min(1).default(['*']).describe('Namespaces oombot may read.'),
    prometheus: PrometheusConfig.optional(),
    engineMetrics: EngineMetricsConfig.prefault({}),
    watch: WatchConfig.describe('Triage when a container dies.').optional(),
    acting: ClusterActingConfig.describe(
      'Allows changes in this cluster. Without it oombot prints commands.',
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
    .regex(/^\/[a-z0-9_-]{1,31}$/, {
      error: 'is not a slash command: a slash and at most 31 lowercase letters, digits, - or _',
    })
    .default('/oom')
    .describe('Slash command, as in the Slack app.'),
  appHome: z.boolean().default(true).describe('Show open incidents in the Home tab.'),
  apiUrl: z
    .url({ protocol: /^https?$/ })
    .default('https://slack.com/api/')
    .describe('Slack Web API URL.'),
  botToken: token('Bot token (`xoxb-…`); usually SLACK_BOT_TOKEN.').optional(),
  botTokenFile: text().describe('File with it.').optional(),
  appToken: token('App-level token (`xapp-…`) of mode `socket`; usually SLACK_APP_TOKEN.').optional(),
  appTokenFile: text().describe('File with it.').optional(),
  signingSecret: secret('Signing secret of mode `http`; usually SLACK_SIGNING_SECRET.').optional(),
  signingSecretFile: text().describe('File with it.').optional(),
});
export type SlackConfig = z.infer<typeof SlackConfig>;

const ActConfig = z.strictObject({
  users: z.array(text()).default([]).describe('Slack user ids. Empty: nobody.'),
  groups: z.array(text()).default([]).describe('Slack user group ids. Empty: nobody.'),
  verbs: z.array(z.enum(ACT_VERBS)).min(1).describe('What they may do.'),
  actions: z
    .array(ActionId.exclude(['advise']))
    .min(1)
    .optional()
    .describe('Only these actions. Default: all.'),
  scope: ScopeConfig.describe('Where they may do it.'),
});

const RedactionPattern = z.strictObject({
  name: name().describe('Shown in place of the match: `[redacted:name]`.'),
  pattern: text()
    .superRefine((text, context) => {
      const message = patternFault(text);
      if (message !== undefined) context.addIssue({ code: 'custom', message });
    })
    .describe('Regular expression in RE2 syntax: no lookaround, no backreferences.'),
});

/** The whole configuration. Keys that are not here are errors. */
export const Config = z.strictObject({
  clusters: z
    .array(ClusterConfig)
    .default([])
    .describe('Clusters. Default: the one oombot runs in, else the current context of KUBECONFIG.'),
  defaultCluster: text().describe('Cluster to use if none is named.').optional(),
  slack: SlackConfig.prefault({}),
  channels: z.record(text(), ScopeConfig).default({}).describe('What each channel may read, by channel id.'),
  defaultChannel: ScopeConfig.nullable().describe('What other channels may read; `null`: nothing.').optional(),
  act: z.array(ActConfig).default([]).describe('Who may act, and where. Empty: nobody.'),
  acting: ActingConfig.prefault({}),
  store: StoreConfig.prefault({}),
  incidents: z
    .strictObject({
      windowMinutes: z
        .number()
        .positive()
        .default(10_080)
        .describe('A repeat within this time joins the incident, and reopens it if closed.'),
      resolvedMinutes: z
        .number()
        .positive()
        .default(60)
        .describe('The same, once all alerts of the incident are resolved. An alert that fires keeps it open.'),
      quietHours: z
        .number()
        .nonnegative()
        .default(24)
        .describe('Hours without a failure after which an incident closes, if all its pods are ready. 0: never.'),
    })
    .prefault({}),
  handover: z
    .strictObject({
      changeHours: z
        .number()
        .min(0.1)
        .max(8760)
        .default(24)
        .describe('Hours until a change expires, with a reminder. oombot reverts nothing.'),
      shifts: z.array(ShiftConfig).default([]).describe('Channels that get a shift handover at fixed times.'),
    })
    .prefault({}),
  alerts: AlertsConfig.describe('Alertmanager webhook. Without it oombot takes no alerts.').optional(),
  dashboard: DashboardConfig.optional(),
  redaction: z
    .strictObject({
      patterns: z
        .array(RedactionPattern)
        .default([])
        .describe('Patterns in addition to the built-in ones for tokens, credentials and prompts.'),
    })
    .prefault({}),
  playbooks: z
    .strictObject({
      dirs: z
        .array(text())
        .default([])
        .describe('Your playbook folders, in order. A file overrides the built-in one with the same path.'),
      thresholds: z
        .record(text(), z.union([z.number(), text()]))
        .default({})
        .describe('Threshold values by name, such as `pool-full: 0.97`.'),
    })
    .prefault({}),
  limits: z
    .strictObject({
      deadlineSeconds: z.number().min(1).max(600).default(20).describe('Seconds for one triage.'),
      calls: z.int().min(1).default(24).describe('API calls of one triage, including logs.'),
      logs: z.int().min(0).default(6).describe('Log calls.'),
      bytes: z.int().min(1).default(9_000_000).describe('Bytes to read.'),
      deepBytes: z
        .int()
        .min(1)
        .default(67_108_864)
        .describe('Bytes to read if neither end of the log has a signature.'),
    })
    .prefault({}),
  logLevel: z.enum(['silent', 'error', 'warn', 'info', 'debug']).default('info').describe("oombot's own log level."),
});
export type Config = z.infer<typeof Config>;
