import { type Logger, LogLevel } from '@slack/bolt';
import type { Log } from '../../app/ports.ts';

/** The SDK's logger on top of ours. Debug and info are dropped: at those levels the SDK prints whole bodies. */
export function createSdkLogger(log: Log): Logger {
  const words = (parts: readonly unknown[]): string => parts.map(String).join(' ').slice(0, 500);
  return {
    debug: () => undefined,
    info: () => undefined,
    warn: (...parts) => log.warn('slack sdk', { says: words(parts) }),
    error: (...parts) => log.error('slack sdk', { says: words(parts) }),
    setLevel: () => undefined,
    getLevel: () => LogLevel.WARN,
    setName: () => undefined,
  };
}
