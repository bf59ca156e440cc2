import { parseDocument } from 'yaml';

/** What `kubectl get -o yaml` prints, as the JSON that `-o json` prints; undefined where it is no YAML of an object or a list. */
export function yamlAsJson(text: string): string | undefined {
  const document = parseDocument(text, { prettyErrors: false });
  if (document.errors.length > 0) return undefined;
  try {
    const value: unknown = document.toJS();
    return typeof value === 'object' && value !== null ? JSON.stringify(value, null, 2) : undefined;
  } catch {
    return undefined;
  }
}

const IS_LIST = /"kind":\s{0,8}"(?:\w{1,60})?List"/;

/** The object of a list of one, as JSON: kubectl makes a list of what is asked for by a label. Every other text as it is. */
export function onlyOfList(json: string): string {
  if (!IS_LIST.test(json)) return json;
  try {
    const { items } = JSON.parse(json) as { readonly items?: unknown };
    return Array.isArray(items) && items.length === 1 ? JSON.stringify(items[0], null, 2) : json;
  } catch {
    return json;
  }
}
