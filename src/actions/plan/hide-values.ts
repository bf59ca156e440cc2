import { isMap } from '../change.ts';

const HIDDEN = '(hidden)';
const SECRET_NAME = /key|token|secret|passw|credential/i;
// `--api-key=x`, `--api-key x`, `HF_TOKEN=x`, in a word or in a script.
const ASSIGNED =
  /((?:--?[\w-]*|\b[A-Z][A-Z0-9_]*)(?:key|token|secret|passw(?:or)?d|credential)s?)([= ]+)(?!\d+(?:\s|$))("[^"]*"|'[^']*'|\S+)/gi;
const SECRET_FLAG = /^--?[\w-]*(?:key|token|secret|passw(?:or)?d|credential)s?$/i;

type Hide = { readonly changed: ReadonlySet<string> };

/** Both states of an object for people: variables that stay the same and whatever may be a secret are hidden. */
export function hideValues(before: unknown, after: unknown): readonly [unknown, unknown] {
  const [old, now] = [variablesOf(before), variablesOf(after)];
  const names = [...new Set([...old.keys(), ...now.keys()])];
  const changed = new Set(names.filter((name) => old.get(name) !== now.get(name)));
  return [hide(before, { changed }), hide(after, { changed })];
}

/** Variables by name with their values as JSON, over all containers. */
function variablesOf(value: unknown, found: Map<string, string> = new Map()): ReadonlyMap<string, string> {
  if (Array.isArray(value)) for (const item of value) variablesOf(item, found);
  if (!isMap(value)) return found;
  for (const [key, child] of Object.entries(value)) {
    if (key === 'env' && Array.isArray(child)) {
      for (const item of child.filter(isMap))
        found.set(String(item.name), `${found.get(String(item.name)) ?? ''}${JSON.stringify(item)}`);
    } else {
      variablesOf(child, found);
    }
  }
  return found;
}

function hide(value: unknown, how: Hide, key = ''): unknown {
  if (Array.isArray(value)) {
    if (key === 'env') return value.map((item) => (isMap(item) ? hideVariable(item, how) : item));
    return value.map((item, i) => (typeof item === 'string' ? hideWord(item, value[i - 1]) : hide(item, how, key)));
  }
  if (typeof value === 'string') return value.replaceAll(ASSIGNED, `$1$2${HIDDEN}`);
  if (!isMap(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, child]) => [name, hide(child, how, name)]));
}

function hideVariable(item: Readonly<Record<string, unknown>>, { changed }: Hide): unknown {
  if (typeof item.value !== 'string') return item;
  const name = String(item.name);
  // `MAX_TOTAL_TOKENS` is a number of tokens and no token.
  const isSecret = SECRET_NAME.test(name.replace(/TOKENS/g, ''));
  if (isSecret || !changed.has(name)) return { ...item, value: HIDDEN };
  return { ...item, value: item.value.replaceAll(ASSIGNED, `$1$2${HIDDEN}`) };
}

function hideWord(word: string, before: unknown): string {
  if (typeof before === 'string' && SECRET_FLAG.test(before)) return HIDDEN;
  return word.replaceAll(ASSIGNED, `$1$2${HIDDEN}`);
}
