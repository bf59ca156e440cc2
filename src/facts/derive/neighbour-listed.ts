import type { Cited } from '../../model/engine-reader.ts';
import { GIB } from '../../model/quantity.ts';
import type { Evidence } from './evidence.ts';

// A CUDA context takes 0.3 to 0.6 GiB.
const AT_WORK = GIB;

/**
 * What processes of another program hold on a card of the engine, by nvidia-smi. Only where the names of the list tell whose
 * is whose: one bears the engine's name, the others do not.
 */
export function foreignListed({ smi, engine }: Pick<Evidence, 'smi' | 'engine'>): Cited<number> | undefined {
  const large = (smi?.processes ?? []).flatMap(({ gpu, name, used }) =>
    used === undefined || name === undefined || used.value < AT_WORK ? [] : [{ gpu, name: name.toLowerCase(), used }],
  );
  const isOwn = ({ name }: { readonly name: string }) => name.includes(engine.engine);
  const own = large.find(isOwn);
  if (own === undefined) return undefined;
  const others = large.filter((one) => one.gpu === own.gpu && one !== own);
  const first = others[0];
  if (first === undefined || others.some(isOwn)) return undefined;
  return { value: others.reduce((sum, { used }) => sum + used.value, 0), from: first.used.from };
}
