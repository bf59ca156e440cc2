import type { Config } from './schema.ts';

/** What `serve` needs of Slack and does not have, as names of variables; the terminal needs none of it. */
export function missingForSlack({ slack }: Config): readonly string[] {
  const other = slack.mode === 'socket' ? 'appToken' : 'signingSecret';
  const needed = {
    botToken: 'SLACK_BOT_TOKEN',
    appToken: 'SLACK_APP_TOKEN',
    signingSecret: 'SLACK_SIGNING_SECRET',
  } as const;
  return (['botToken', other] as const).filter((key) => slack[key] === undefined).map((key) => needed[key]);
}
