import { z } from 'zod';
import { BasicConfig, secret, text } from './credentials-schema.ts';

/** How Alertmanager reaches the bot. */
export const AlertsConfig = z
  .strictObject({
    port: z.int().min(0).max(65535).describe('Port of the webhook: `http://oombot.NAMESPACE:PORT/v1/alerts`.'),
    bearerToken: secret('Bearer token that Alertmanager sends. Prefer `bearerTokenFile`.').optional(),
    bearerTokenFile: text().describe('File with it; read again at each request.').optional(),
    basic: BasicConfig.describe('Basic authentication, instead of a bearer token.').optional(),
    channel: text()
      .describe('Channel id for namespaces that no entry of `channels` owns. Without it their alerts are only counted.')
      .optional(),
  })
  .refine((a) => [a.bearerToken, a.bearerTokenFile, a.basic].filter((x) => x !== undefined).length === 1, {
    error: 'needs one of `bearerToken`, `bearerTokenFile` and `basic`',
  });
export type AlertsConfig = z.infer<typeof AlertsConfig>;

export const DashboardConfig = z.strictObject({
  url: z
    .url({ protocol: /^https?$/ })
    .describe('Grafana URL with its path prefix. Findings then link to the dashboard.'),
});
