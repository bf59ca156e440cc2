/** Errors that no other form of the message would avoid, each with the next step for the requester. */
const NEXT: Readonly<Record<string, string>> = {
  not_in_channel: 'Type `/invite @BOT` in the channel and ask again.',
  channel_not_found: 'The bot cannot see this channel: type `/invite @BOT` there and ask again.',
  is_archived: 'The channel is archived: unarchive it, or ask in another one.',
  user_not_in_channel: 'Join the channel and ask again.',
  missing_scope: 'The Slack app is missing a scope: reinstall it from deploy/slack-app-manifest.yaml.',
  no_permission: 'The Slack app is missing a scope: reinstall it from deploy/slack-app-manifest.yaml.',
  not_allowed_token_type: 'Wrong token type: the bot token starts with xoxb-.',
  restricted_action:
    'A workspace policy blocks posts from the bot here: ask a workspace admin, or use another channel.',
  restricted_action_read_only_channel: 'This channel is read-only: ask in another one.',
  restricted_action_thread_only_channel: 'This channel allows only threads: ask in another one.',
  restricted_action_non_threadable_channel: 'This channel allows no threads: ask in another one.',
  ekm_access_denied: 'Posting is suspended: ask a workspace admin.',
  invalid_auth: 'Slack rejected the bot token: check SLACK_BOT_TOKEN.',
  not_authed: 'No bot token was sent: check SLACK_BOT_TOKEN.',
  token_revoked: 'The bot token was revoked: reinstall the app and set SLACK_BOT_TOKEN.',
  token_expired: 'The bot token has expired: reinstall the app and set SLACK_BOT_TOKEN.',
  account_inactive: 'The bot was removed from the workspace: reinstall the app and set SLACK_BOT_TOKEN.',
  external_channel_migrating: 'Slack is moving this channel: try again in a minute.',
  ratelimited: 'Slack rate-limits the bot: try again in a minute.',
  deadline: 'Slack timed out: check whether the message arrived, otherwise ask again.',
  unreachable: "Can't reach Slack: try again in a minute.",
  storage_limit_reached: 'The workspace is out of file storage: ask a workspace admin.',
  used_url: 'The private reply was used too often: ask again.',
  expired_url: 'The private reply expired: ask again.',
  file_uploads_disabled: 'The workspace allows no files: ask a workspace admin.',
};

/** True where only another place, right or time helps, so that sending plain text instead would be refused as well. */
export function isOfPlace(code: string): boolean {
  return code in NEXT;
}

/** What the requester can do about a refusal. */
export function nextStep(code: string, botName: string): string {
  const next = NEXT[code] ?? `Slack returned ${code}: tell the operators of oombot.`;
  return next.replace('@BOT', `@${botName}`);
}
