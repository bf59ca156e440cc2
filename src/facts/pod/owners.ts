import type { Citation } from '../../model/citation.ts';
import type { Placed } from '../../model/json-file.ts';
import type { OwnerObject } from '../../model/kubernetes.ts';
import { fieldOf } from './pod-view.ts';

export type Owner = { readonly kind: string; readonly name: string; readonly from: Citation };
export type OwnersReading = { readonly chain: readonly Owner[]; readonly top: Owner | undefined };

const field = fieldOf('owners.json');

/** owners.json: from the pod's controller up to the top owner. An entry without a name is left out. */
export function readOwners(owners: readonly Placed<OwnerObject>[]): OwnersReading {
  const chain = owners.flatMap(({ value, path }) => {
    const name = field(value.metadata?.name, `${path}/metadata/name`);
    return name === undefined ? [] : [{ kind: value.kind ?? 'object', name: name.value, from: name.from }];
  });
  return { chain, top: chain.at(-1) };
}
