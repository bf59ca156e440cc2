import { z } from 'zod';
import { yamlAsJson } from './input-text.ts';

/** One object as kubectl or a support bundle prints it, with what it is found by. */
export type KubernetesObject = {
  readonly kind: string;
  readonly namespace: string | undefined;
  readonly name: string;
  readonly value: Readonly<Record<string, unknown>>;
};

const Meta = z.looseObject({ name: z.string(), namespace: z.string().nullish() });
const One = z.looseObject({ kind: z.string().optional(), metadata: Meta });
const List = z.looseObject({ kind: z.string().optional(), items: z.array(z.unknown()) });

/** The objects of a JSON or YAML text: one, those of a list, or of a bare array. Undefined where it is neither JSON nor YAML of objects. */
export function objectsIn(text: string): readonly KubernetesObject[] | undefined {
  const value = parse(text);
  if (value === undefined) return undefined;
  const list = Array.isArray(value) ? { kind: undefined, items: value } : List.safeParse(value).data;
  // Items of a PodList say no kind of their own.
  const kind = list?.kind?.replace(/List$/, '');
  return (list?.items ?? [value]).flatMap((item) => {
    const one = One.safeParse(item).data;
    if (one === undefined) return [];
    const { name, namespace } = one.metadata;
    const found = one.kind ?? (kind === '' ? undefined : kind) ?? kindByShape(one);
    return [{ kind: found, name, namespace: namespace ?? undefined, value: { kind: found, ...one } }];
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const json = /^(?:apiVersion|kind|items|metadata):/m.test(text) ? yamlAsJson(text) : undefined;
    return json === undefined ? undefined : JSON.parse(json);
  }
}

// Older support bundles hold arrays of objects without a kind.
function kindByShape(one: z.infer<typeof One>): string {
  if ('involvedObject' in one) return 'Event';
  const spec = z.looseObject({}).safeParse(one.spec).data ?? {};
  if ('containers' in spec) return 'Pod';
  const status = z.looseObject({}).safeParse(one.status).data ?? {};
  return 'nodeInfo' in status ? 'Node' : '';
}
