const AUTOMATIC = {
  'oombot/alert': 'alert',
  'oombot/watch': 'watch',
  'oombot/quiet-watch': 'watch',
  'oombot/pressure': 'pressure',
} as const;

export type Starter = (typeof AUTOMATIC)[keyof typeof AUTOMATIC] | 'person';

/** Who asks for a triage that nobody typed: it is stored and audited in the place of a Slack user id. */
export type AutomaticUser = keyof typeof AUTOMATIC;

/** Who asks for a triage whose finding is stored and not posted. */
export const QUIET_USER = 'oombot/quiet-watch' satisfies AutomaticUser;

/** What started a triage, by the user who asked for it. */
export function startedBy(user: string): Starter {
  return Object.hasOwn(AUTOMATIC, user) ? AUTOMATIC[user as AutomaticUser] : 'person';
}
