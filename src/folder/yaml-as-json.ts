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
