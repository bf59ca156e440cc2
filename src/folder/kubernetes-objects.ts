import { z } from 'zod';
import { parseJson } from '../model/json-file.ts';
import { yamlAsJson } from './input-text.ts';

type Value = Readonly<Record<string, unknown>>;

/** One item as kubectl prints it, by itself or in a list. */
export type KubectlItem = { readonly kind: string; readonly value: Value };

/** One object as kubectl or a support bundle prints it, with what it is found by. */
export type KubernetesObject = KubectlItem & { readonly namespace: string | undefined; readonly name: string };

const Named = z.looseObject({ metadata: z.looseObject({ name: z.string(), namespace: z.string().nullish() }) });
const Item = z.looseObject({ kind: z.string().optional() });
const List = z.looseObject({ kind: z.string().regex(/List$/).optional(), items: z.array(z.unknown()) });

/** The items of a list as kubectl prints it, or of a bare array; undefined of anything else. */
export function itemsOf(value: unknown): readonly unknown[] | undefined {
  return Array.isArray(value) ? value : List.safeParse(value).data?.items;
}

/** The objects of a JSON or YAML text that have names: one, those of a list, or of a bare array. Undefined where it is neither JSON nor YAML of objects. */
export function objectsIn(text: string): readonly KubernetesObject[] | undefined {
  return kubectlItems(parseJson(text) ?? parseJson(yamlOf(text)))?.flatMap((item) => {
    const named = Named.safeParse(item.value).data;
    if (named === undefined) return [];
    const { name, namespace } = named.metadata;
    return [{ ...item, name, namespace: namespace ?? undefined }];
  });
}

/** The items of a list or a bare array, or the one item that a value is. */
export function kubectlItems(value: unknown): readonly KubectlItem[] | undefined {
  if (value === undefined) return undefined;
  // Items of a PodList say no kind of their own.
  const ofList = List.safeParse(value).data?.kind?.replace(/List$/, '');
  return (itemsOf(value) ?? [value]).flatMap((one) => {
    const item = Item.safeParse(one).data;
    if (item === undefined) return [];
    const kind = item.kind ?? (ofList || kindByShape(item));
    return [{ kind, value: { kind, ...item } }];
  });
}

function yamlOf(text: string): string {
  return (/^(?:apiVersion|kind|items|metadata):/m.test(text) ? yamlAsJson(text) : undefined) ?? '';
}

// Older support bundles hold arrays of objects without a kind.
function kindByShape(one: Value): string {
  if ('involvedObject' in one) return 'Event';
  const spec = z.looseObject({}).safeParse(one.spec).data ?? {};
  if ('containers' in spec) return 'Pod';
  const status = z.looseObject({}).safeParse(one.status).data ?? {};
  return 'nodeInfo' in status ? 'Node' : '';
}
