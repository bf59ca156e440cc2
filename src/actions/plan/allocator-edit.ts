import { ALLOC_CONF, ALLOCATOR_VARIABLES, areReadAlike, refusesSegments } from '../../model/allocator-variable.ts';
import { ContainerSpec } from '../../model/kubernetes.ts';
import type { Edit } from '../../model/verdict.ts';

const NAMES: readonly string[] = ALLOCATOR_VARIABLES;

type AllocatorEdit =
  | { readonly kind: 'edit'; readonly edit: Edit }
  | { readonly kind: 'refused'; readonly says: string };

/** The allocator's setting under the name that the container uses already, its other settings kept. */
export function allocatorEdit(container: unknown, edit: Edit, version: string | undefined): AllocatorEdit {
  const { env = [], command = [], args = [] } = ContainerSpec.safeParse(container).data ?? {};
  const words = [...command, ...args].flatMap((word) => word.split(/\s+/));
  const against = words.map((word) => refusesSegments(word, version)).find((why) => why !== undefined);
  if (against !== undefined)
    return { kind: 'refused', says: `The engine runs with ${against}, which does not support expandable segments.` };
  if (!NAMES.includes(edit.flag) || edit.to === null) return { kind: 'edit', edit };
  const held =
    env.findLast(({ name }) => name === edit.flag) ??
    env.findLast(({ name }) => name !== undefined && NAMES.includes(name) && areReadAlike(name, edit.flag));
  if (held?.name === undefined) return { kind: 'edit', edit };
  // A build that is known to read the old name alone: what it ignores under the new one it is told again.
  const isIgnored = held.name === ALLOC_CONF && edit.flag !== ALLOC_CONF && edit.facts.length > 0;
  const flag = isIgnored ? edit.flag : held.name;
  return { kind: 'edit', edit: { ...edit, flag, to: merge(held.value ?? '', edit.to) } };
}

// `key:value,key:value`; a key that is there already gets the new value in its place.
function merge(held: string, wanted: string): string {
  const settings = new Map(held.split(',').filter(Boolean).map(readSetting));
  for (const setting of wanted.split(',')) settings.set(...readSetting(setting));
  return [...settings].map(([key, value]) => (value === '' ? key : `${key}:${value}`)).join(',');
}

function readSetting(text: string): [string, string] {
  const at = text.indexOf(':');
  return at === -1 ? [text.trim(), ''] : [text.slice(0, at).trim(), text.slice(at + 1).trim()];
}
