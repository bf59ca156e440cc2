import { readFile, stat } from 'node:fs/promises';

export type PrometheusAuth =
  | { readonly kind: 'none' }
  | { readonly kind: 'bearer'; readonly token: string }
  | { readonly kind: 'bearer-file'; readonly file: string }
  | { readonly kind: 'basic'; readonly user: string; readonly password: string }
  | { readonly kind: 'basic-file'; readonly user: string; readonly file: string };

/** The value of the header Authorization. `fresh` reads the file again, whatever its time says. Throws what the file system throws. */
export type Authorization = (fresh: boolean) => Promise<string | undefined>;

export function createAuthorization(auth: PrometheusAuth): Authorization {
  switch (auth.kind) {
    case 'none':
      return async () => undefined;
    case 'bearer':
      return async () => `Bearer ${auth.token}`;
    case 'basic':
      return async () => basic(auth.user, auth.password);
    case 'bearer-file': {
      const read = rotatingFile(auth.file);
      return async (fresh) => `Bearer ${await read(fresh)}`;
    }
    case 'basic-file': {
      const read = rotatingFile(auth.file);
      return async (fresh) => basic(auth.user, await read(fresh));
    }
  }
}

function basic(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
}

// Kubernetes swaps a symlink when it renews a token: `stat` follows it and sees another time or inode.
function rotatingFile(path: string): (fresh: boolean) => Promise<string> {
  let last: { readonly mark: string; readonly text: string } | undefined;
  return async (fresh) => {
    const { mtimeMs, ino, size } = await stat(path);
    const mark = `${mtimeMs}/${ino}/${size}`;
    if (fresh || last?.mark !== mark) last = { mark, text: (await readFile(path, 'utf8')).trim() };
    return last.text;
  };
}
