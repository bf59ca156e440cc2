import { engineKey } from './engine-names.ts';
import { gpuByProduct } from './gpu-table.ts';
import { compareVersions } from './metric-table.ts';
import { tablesInForce } from './reference-tables.ts';

/** Formats that the documentation of the engine lists for this GPU, and those that it lists from a newer version on. */
export type Quantization = {
  readonly architecture: string;
  readonly formats: readonly string[];
  readonly later: readonly { readonly format: string; readonly from: string }[];
};

/** The quantized weight formats of an engine and version on a GPU (`NVIDIA-H100-80GB-HBM3`); undefined where GPU or engine is not in the table. */
export function quantizationOn(product: string, engine: string, version: string | undefined): Quantization | undefined {
  const { quantized } = tablesInForce();
  const architecture = architectureOf(product);
  const rows = quantized.filter((row) => row.engine === engineKey(engine));
  if (architecture === undefined || rows.length === 0) return undefined;
  const here = rows.filter(({ on }) => on.includes(architecture));
  const isLater = ({ from }: (typeof here)[number]): boolean =>
    from !== undefined && version !== undefined && compareVersions(version, from) < 0;
  return {
    architecture,
    formats: here.filter((row) => !isLater(row)).map(({ format }) => format),
    later: here.filter(isLater).map(({ format, from = '' }) => ({ format, from })),
  };
}

/** `Hopper` for any name of an H100; undefined for a GPU that is not in the table. */
export function architectureOf(product: string): string | undefined {
  const name = gpuByProduct(product)?.gpu.model ?? product.replaceAll(/[-_]/g, ' ');
  return tablesInForce().architectures.find(({ gpus }) => gpus.test(name))?.architecture;
}
