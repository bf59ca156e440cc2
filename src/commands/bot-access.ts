import { readFile } from 'node:fs/promises';
import { type Config, defaultCluster } from '../config.ts';
import { readToken } from '../kubernetes/api/credentials.ts';
import { OomError } from '../model/errors.ts';

/** Where the bot is and who asks it; `true` is a flag without its value. */
export type BotOptions = { readonly bot?: string | true; readonly tokenFile?: string | true };

const EXAMPLE = '`--bot http://127.0.0.1:8787`';

/** Where the port of the running bot is reached: by what was typed, else on this machine by `acting.port`. Throws OomError `bad-input` if it is not a URL; `true` is a flag without one. */
export function botAddress(given: string | true | undefined, port: number | undefined): string | undefined {
  if (given === undefined) return port === undefined ? undefined : `http://127.0.0.1:${port}`;
  const typed = given === true ? '' : given;
  // As kubectl prints where it forwards to.
  const url = /^[\w.-]+:\d+$/.test(typed) ? `http://${typed}` : typed;
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return url;
  throw new OomError('bad-input', typed === '' ? '`--bot` needs a URL.' : `“${typed}” is not a URL.`, {
    next: `Type the URL of the bot port (\`acting.port\`), such as ${EXAMPLE}.`,
  });
}

/** The token that shows the bot who asks: that of the file, else that of the kubeconfig; undefined where that has none. Throws OomError. */
export function botToken(config: Config, file: string | true | undefined): Promise<string | undefined> {
  return file === undefined ? ofKubeconfig(config) : fromFile(file === true ? '' : file);
}

/** Said where there is none; `why` says what was tried. */
export function noToken(why = 'The kubeconfig has none.', cause?: unknown): OomError {
  return new OomError('not-allowed', `The bot needs a token to know who you are. ${why}`, {
    next: 'Create one with `kubectl create token <service account> > token`, then add `--token-file token`.',
    cause,
  });
}

async function ofKubeconfig(config: Config): Promise<string | undefined> {
  const { inCluster = false, kubeconfig, context } = defaultCluster(config) ?? {};
  try {
    return await readToken({ inCluster, kubeconfig, context });
  } catch (thrown) {
    // Of no use is what to do for a cluster: it is the bot that was asked for.
    throw thrown instanceof OomError && thrown.code === 'bad-config' ? noToken(thrown.message, thrown) : thrown;
  }
}

async function fromFile(path: string): Promise<string> {
  const next = 'Create a token file: `kubectl create token <service account> > token`.';
  const bad = (says: string, cause?: unknown) => new OomError('bad-input', says, { next, cause });
  if (path === '') throw bad('`--token-file` needs a file.');
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw bad(`Cannot read ${path}.`, cause);
  });
  const token = text.trim();
  // Characters allowed in a header.
  if (/^[!-~]+$/.test(token)) return token;
  if (/^\S+$/.test(token)) throw bad(`${path} has a character that no token has.`);
  throw bad(token === '' ? `${path} is empty.` : `${path} has more than one token.`);
}
