/** One series of the bot itself. Gauges are read when `/metrics` is asked for; times are in seconds. */
export type BotMetric = {
  readonly kind: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  readonly labels?: readonly string[];
};

/** What the bot shows of itself at `/metrics`, besides process and Node.js metrics. */
export const BOT_METRICS = {
  oombot_info: { kind: 'gauge', help: '1, with the version of oombot', labels: ['version'] },
  oombot_ready: { kind: 'gauge', help: '1 while Slack is connected and the store answers' },
  oombot_triages_total: {
    kind: 'counter',
    help: 'Triages that ended, by outcome and by what started them',
    labels: ['outcome', 'started_by'],
  },
  oombot_triage_duration_seconds: { kind: 'histogram', help: 'Time from the request to the finding' },
  oombot_api_calls_total: { kind: 'counter', help: 'Calls to API servers by triages', labels: ['kind'] },
  oombot_slack_messages_refused_total: { kind: 'counter', help: 'Messages that Slack refused for good' },
  oombot_slack_messages_plain_total: { kind: 'counter', help: 'Messages sent again as plain text' },
  oombot_slack_rate_limited_total: { kind: 'counter', help: 'Calls that Slack answered with 429' },
  oombot_slack_retries_total: { kind: 'counter', help: 'Calls to Slack that were tried again' },
  oombot_messages_undelivered: { kind: 'gauge', help: 'Stored messages that Slack has not confirmed' },
  oombot_incidents_open: { kind: 'gauge', help: 'Open incidents' },
  oombot_runs_open: { kind: 'gauge', help: 'Runs that have not ended, by state', labels: ['state'] },
  oombot_feedback: { kind: 'gauge', help: 'Feedback on findings in the store', labels: ['judgment'] },
  oombot_alerts_total: {
    kind: 'counter',
    help: 'Alerts from Alertmanager, by what became of them',
    labels: ['result'],
  },
  oombot_alert_requests_refused_total: {
    kind: 'counter',
    help: 'Requests that the Alertmanager webhook refused',
    labels: ['reason'],
  },
  oombot_watch_leader: {
    kind: 'gauge',
    help: '1 while this replica watches the cluster, 0 while it stands by',
    labels: ['cluster'],
  },
  oombot_watch_last_event_timestamp_seconds: {
    kind: 'gauge',
    help: 'Time of the last event or bookmark of a watch',
    labels: ['cluster', 'namespace', 'selector'],
  },
  oombot_watch_restarts_total: {
    kind: 'counter',
    help: 'Connections of watches that were lost',
    labels: ['cluster', 'namespace'],
  },
  oombot_watch_unreadable_total: {
    kind: 'counter',
    help: 'Objects of watches that did not parse',
    labels: ['cluster', 'namespace'],
  },
  oombot_deaths_total: {
    kind: 'counter',
    help: 'Deaths that a watch saw, by what became of them',
    labels: ['result'],
  },
  oombot_load_signals_total: {
    kind: 'counter',
    help: 'Signs of pressure, hangs and killed processes, by what became of them',
    labels: ['result'],
  },
  oombot_load_unread_total: {
    kind: 'counter',
    help: 'Looks at the load of a namespace that Prometheus did not answer',
    labels: ['cluster', 'namespace'],
  },
} as const satisfies Readonly<Record<string, BotMetric>>;

export type BotMetricName = keyof typeof BOT_METRICS;
