/** How long a run waits for somebody to say whether requests may be cut. */
export const ASK_MS = 30 * 60_000;
/** How often it looks meanwhile. */
export const ASK_EVERY_MS = 15_000;
