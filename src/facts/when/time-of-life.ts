/** What the engine did when it failed. */
export type Life = 'starting' | 'serving';

/** How long it had lived, roughly. */
export type Age = 'minutes' | 'hours' | 'days';
