import type { Config } from '../config.ts';

/** How Slack reaches the bot. */
export function slackMode({ slack }: Config) {
  return slack.mode === 'socket'
    ? { mode: 'socket' as const, appToken: slack.appToken ?? '', healthPort: slack.port }
    : { mode: 'http' as const, signingSecret: slack.signingSecret ?? '', port: slack.port };
}

export function slackParts({ slack }: Config) {
  return { botToken: slack.botToken ?? '', apiUrl: slack.apiUrl, commandName: slack.command, appHome: slack.appHome };
}

/** The user groups that the configuration lets act. */
export function groupsThatAct({ act }: Config): readonly string[] {
  return [...new Set(act.flatMap(({ groups }) => groups))];
}
