import type { Rights, Scope } from '../model/authorise.ts';
import type { Config } from './schema.ts';

const EVERYTHING: Scope = { clusters: ['*'], namespaces: ['*'] };

/**
 * Who may do what, by configuration. Where no channel is mapped at all, every channel may read what the bot may; as
 * soon as one is mapped, the others read nothing unless `defaultChannel` says otherwise.
 */
export function rightsOf(config: Config): Rights {
  const open = Object.keys(config.channels).length === 0 ? EVERYTHING : null;
  return {
    channels: config.channels,
    defaultChannel: config.defaultChannel === undefined ? open : config.defaultChannel,
    act: config.act,
  };
}
