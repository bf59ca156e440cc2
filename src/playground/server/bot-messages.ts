/** Most simulated seconds per second: a lease of 30 s must outlast an act that takes real time. */
export const FASTEST = 20;

/** What the playground tells the bot's process: the first message sets its time and starts it. */
export type ToBot = { readonly kind: 'time'; readonly now: number; readonly speed: number } | { readonly kind: 'stop' };

/** What comes back. `port` is that of its HTTP receiver or of its probes. */
export type FromBot =
  | { readonly kind: 'ready'; readonly port: number | undefined }
  | { readonly kind: 'failed'; readonly says: string };
