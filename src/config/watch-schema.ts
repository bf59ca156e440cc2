import { z } from 'zod';
import { Severity } from '../model/severity.ts';
import { text } from './credentials-schema.ts';
import { timeOfDay, timeZone } from './shift-schema.ts';

const KEY = '(?:[a-z0-9.-]+/)?[A-Za-z0-9](?:[-\\w.]*[A-Za-z0-9])?';
const VALUE = '(?:[A-Za-z0-9](?:[-\\w.]*[A-Za-z0-9])?)?';
const TERM = `\\s*(?:!?\\s*${KEY}|${KEY}\\s*(?:==?|!=)\\s*${VALUE}|${KEY}\\s+(?:not)?in\\s*\\(\\s*${VALUE}(?:\\s*,\\s*${VALUE})*\\s*\\))\\s*`;
const SELECTOR = new RegExp(`^${TERM}(?:,${TERM})*$`);

const QuietHoursConfig = z
  .strictObject({
    from: timeOfDay().describe('Start, such as `"22:00"`.'),
    to: timeOfDay().describe('End, such as `"07:00"`; before `from` it is the next day.'),
    timeZone: timeZone().describe('IANA time zone of these times.'),
  })
  .refine(({ from, to }) => from !== to, {
    error: 'has the same `from` and `to`: for the whole day use `mode: quiet`',
  });

const WatchedNamespace = z.strictObject({
  namespace: z
    .string()
    .regex(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/, { error: 'is not a namespace: a whole name, without `*`' })
    .describe('Namespace; one of `namespaces` of the cluster.'),
  selector: text()
    .regex(SELECTOR, { error: 'is not a label selector: write it as for kubectl, such as `app=vllm,tier!=test`' })
    .describe('Label selector. Default: all pods of the namespace.')
    .optional(),
  mode: z
    .enum(['on', 'quiet'])
    .default('quiet')
    .describe('`on` posts findings; `quiet` keeps them for the shift handover. Off: leave the namespace out.'),
  minSeverity: Severity.default('medium').describe(
    'Findings below it stay quiet. `critical`: no ready replica; `high`: some lost; `medium`: crash-looping but covered; `low`: all ready.',
  ),
  quietHours: QuietHoursConfig.describe('Time of day in which only critical findings are posted.').optional(),
});

/** Which containers of a cluster start a triage when they die. */
export const WatchConfig = z.strictObject({
  pods: z.array(WatchedNamespace).min(1).describe('Watched namespaces.'),
  channel: text().describe('Channel id for namespaces that no entry of `channels` owns.').optional(),
  leaseNamespace: text()
    .describe(
      'Namespace of the Lease `oombot-watch`, by which one replica watches. Default: that of oombot, if `inCluster`.',
    )
    .optional(),
});
export type WatchConfig = z.infer<typeof WatchConfig>;
