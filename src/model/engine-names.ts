import { tablesInForce } from './reference-tables.ts';

/** The name of an engine as the tables have it, by any that people use. */
export function engineKey(engine: string): string {
  const key = engine.trim().toLowerCase();
  return tablesInForce().engines.find(({ also = [] }) => also.includes(key))?.engine ?? key;
}

/** An engine as its makers write it. */
export function engineName(engine: string): string {
  const key = engineKey(engine);
  return tablesInForce().engines.find((one) => one.engine === key)?.name ?? engine;
}
