import { createRedactor } from '../../snapshot/redact.ts';
import { redactJson } from '../../snapshot/redact-json.ts';
import { isMap } from '../change.ts';

const HIDDEN = '(hidden)';
const redactor = createRedactor();

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

function hide(value: unknown, how: Hide): unknown {
  return redactJson(hideVariables(value, how), redactor);
}

function hideVariables(value: unknown, how: Hide, key = ''): unknown {
  if (Array.isArray(value)) {
    return value.map((item) => (key === 'env' ? hideVariable(item, how) : hideVariables(item, how)));
  }
  if (!isMap(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, child]) => [name, hideVariables(child, how, name)]));
}

function hideVariable(item: unknown, { changed }: Hide): unknown {
  if (!isMap(item) || typeof item.value !== 'string' || changed.has(String(item.name))) return item;
  return { ...item, value: HIDDEN };
}
