/** Errors of a place, a person or an installation: no other form of the message would be taken. With the next step for the asker. */
const NEXT: Readonly<Record<string, string>> = {
  not_in_channel: 'Type `/invite @BOT` in the channel and ask again.',
  channel_not_found: 'The bot cannot see this channel: type `/invite @BOT` there and ask again.',
  is_archived: 'The channel is archived: unarchive it, or ask in another one.',
  user_not_in_channel: 'Join the channel and ask again.',
  missing_scope: 'The Slack app lacks a permission: reinstall it from deploy/slack-app-manifest.yaml.',
  no_permission: 'The Slack app lacks a permission: reinstall it from deploy/slack-app-manifest.yaml.',
  not_allowed_token_type: 'The bot token is of the wrong kind: it begins with xoxb-.',
  restricted_action:
    'A workspace rule keeps the bot from posting here: ask a workspace admin, or ask in another channel.',
  restricted_action_read_only_channel: 'This channel is read-only: ask in another one.',
  restricted_action_thread_only_channel: 'This channel takes threads only: ask in another one.',
  restricted_action_non_threadable_channel: 'This channel takes no threads: ask in another one.',
  ekm_access_denied: 'The workspace admins have suspended posting: ask them.',
  invalid_auth: 'Slack does not know the bot token: check SLACK_BOT_TOKEN.',
  not_authed: 'No bot token was sent: check SLACK_BOT_TOKEN.',
  token_revoked: 'The bot token was revoked: reinstall the app and set SLACK_BOT_TOKEN.',
  token_expired: 'The bot token has expired: reinstall the app and set SLACK_BOT_TOKEN.',
  account_inactive: 'The bot was removed from the workspace: reinstall the app and set SLACK_BOT_TOKEN.',
  ratelimited: 'Slack asks the bot to slow down: ask again in a minute.',
  deadline: 'Slack did not answer in time: look whether the message came, else ask again.',
  unreachable: 'Slack could not be reached: ask again in a minute.',
  storage_limit_reached: 'The workspace has no room for files left: ask a workspace admin.',
  used_url: 'The private answer was used up: ask again.',
  expired_url: 'The private answer came too late: ask again.',
  file_uploads_disabled: 'The workspace allows no files: ask a workspace admin.',
};

/** True where only another place, right or time helps, so that sending plain text instead would be refused as well. */
export function isOfPlace(code: string): boolean {
  return code in NEXT;
}

/** What the asker can do about a refusal. */
export function nextStep(code: string, botName: string): string {
  const next = NEXT[code] ?? `Slack answered ${code}: tell the people who run the bot.`;
  return next.replace('@BOT', `@${botName}`);
}
