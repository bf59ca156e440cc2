import type { Cited } from '../../../model/engine-reader.ts';
import { parseSize } from '../../../model/quantity.ts';
import { allLines, cited } from '../../text/lines.ts';
import type { Evidence } from '../evidence.ts';

// A directive of a batch script, though it looks like a remark, or the command itself; what a node has of memory for the job
// (SchedMD/slurm doc/man/man1/sbatch.1, --mem: MiB unless a letter follows, 0 is all of the node).
const ASKED =
  /^(?:#SBATCH\b|(?!#)[^\n]{0,200}?\b(?:sbatch|srun|salloc)\b)(?=[^\n]{0,400}? --mem[= ](?<digits>\d{1,9}(?:\.\d{1,3})?)(?<unit>[KMGTkmgt]?)B?(?![\w-]))/;

/** The memory that a Slurm job may take on its node, as its script or its command asks for it. */
export function readSlurmLimit({ readings }: Pick<Evidence, 'readings'>): Cited<number> | undefined {
  const text = readings.texts.get('args.txt') ?? '';
  for (const line of allLines(text)) {
    const { digits, unit } = ASKED.exec(line.text)?.groups ?? {};
    const bytes = digits === undefined ? 0 : (parseSize(`${digits}${(unit || 'M').toUpperCase()}iB`) ?? 0);
    if (bytes > 0) return cited(bytes, 'args.txt', line);
  }
  return undefined;
}
