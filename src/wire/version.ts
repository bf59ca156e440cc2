import manifest from '../../package.json' with { type: 'json' };

/** The version of oombot, as in package.json. */
export const VERSION: string = manifest.version;
