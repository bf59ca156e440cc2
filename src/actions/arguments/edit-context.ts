import { readConfigText, toSettingKey } from './config-text.ts';
import { type Dialect, findNegated, toKey } from './engine-flags.ts';
import { followReference } from './follow-reference.ts';
import type { Located } from './locate-command.ts';
import type { FlagContext } from './plan-flag.ts';
import { type Container, findVariable } from './read-container.ts';
import { readFlags, usesOf } from './read-flags.ts';
import type { Token } from './scan-script.ts';
import type { Word } from './shell-word.ts';
import { hasUnseenSettings } from './unseen-settings.ts';

type Surroundings = {
  readonly input: {
    readonly container: unknown;
    readonly version?: string | null;
    readonly configMaps?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  };
  readonly container: Container;
  readonly located: Located;
  readonly dialect: Dialect;
  readonly force: boolean;
};

/** What planning a flag needs to know of the words and of what stands around them. */
export function createContext({ input, container, located, dialect, force }: Surroundings): FlagContext {
  const reading = readFlags(located.words, dialect, located.modelFirst);
  const path = usesOf(reading, '--config').at(-1)?.value?.text;
  return {
    located,
    reading,
    dialect,
    version: input.version ?? null,
    force,
    hasVariable: (name) => findVariable(container.env, name) !== undefined,
    follow({ at, from }, flag, to) {
      const word = located.words[at];
      const around = { json: input.container, container, dialect, tokens: tokensOf(located) };
      return word && followReference({ word, from, flag, to }, around);
    },
    inFile: (key) =>
      path === undefined ? { kind: 'none' } : findInFile(key, { path, dialect, configMaps: input.configMaps }),
    mayHold: (at, key) => mayHold(located.words[at], key, { container, located, dialect }),
  };
}

function tokensOf({ texts }: Located): Token[] {
  return texts.flatMap(({ tokens }) => tokens);
}

type File = {
  readonly path: string;
  readonly dialect: Dialect;
  readonly configMaps: Surroundings['input']['configMaps'];
};

// A mounted ConfigMap's keys are the names of its files.
function findInFile(key: string, { path, dialect, configMaps = {} }: File): ReturnType<FlagContext['inFile']> {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const texts = Object.values(configMaps).flatMap((data) => (Object.hasOwn(data, name) ? [data[name] ?? ''] : []));
  const [text] = texts;
  const settings = text === undefined || texts.length > 1 ? undefined : readConfigText(text, null, dialect);
  if (settings === undefined) return { kind: 'unknown' };
  const value = settings.get(toSettingKey(key, dialect));
  return value === undefined ? { kind: 'none' } : { kind: 'value', value };
}

const REFERENCE = /^(?:\$\{([A-Za-z_]\w*)\}|\$([A-Za-z_]\w*)|\$\(([A-Za-z_]\w*)\))$/;

type Known = Pick<Surroundings, 'container' | 'located' | 'dialect'>;

/** Whether a computed word may hold a flag; a variable of the container with a plain text can be looked into. */
function mayHold(word: Word | undefined, key: string, { container, located, dialect }: Known): boolean {
  const m = REFERENCE.exec(word?.value ?? '');
  const name = m?.[1] ?? m?.[2] ?? m?.[3];
  const text = name === undefined ? undefined : findVariable(container.env, name)?.value;
  if (name === undefined || text === undefined || /[`\\"'*?[\]{}~]/.test(text)) return true;
  if (m?.[3] === undefined && hasUnseenSettings(tokensOf(located))) return true;
  // A script that names the variable without a dollar may set it again.
  const mention = new RegExp(`(?:^|[^\\w$\{])${name}\\b`);
  if (located.texts.some((one) => mention.test(one.text.replaceAll(`$(${name})`, '')))) return true;
  return text.split(/\s+/).some((part) => {
    const flag = part.replace(/=.*$/s, '');
    const known = dialect.find(flag) ?? findNegated(dialect, flag);
    return toKey(known?.name ?? flag) === key || dialect.mayMean(flag, key) || flag === '--';
  });
}
