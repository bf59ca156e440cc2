import type { Cited } from '../../model/engine-reader.ts';
import { parseSize } from '../../model/quantity.ts';
import { allLines, cited } from '../../read/text/lines.ts';
import type { Evidence } from '../evidence/evidence.ts';

// A directive of a batch script, though it looks like a remark, or the command itself; what a node has of memory for the job
// (SchedMD/slurm doc/man/man1/sbatch.1, --mem: MiB unless a letter follows, 0 is all of the node).
const ASKED =
  /^(?:#SBATCH\b|(?!#)[^\n]{0,200}?\b(?:sbatch|srun|salloc)\b)(?=[^\n]{0,400}? --mem[= ](?<digits>\d{1,9}(?:\.\d{1,3})?)(?<unit>[KMGTkmgt]?)B?(?![\w-]))/;

// A step of a job that only looks around.
const LOOKS =
  /\b(?:nvidia-smi|rocm-smi|hostname|echo|printenv|env|free|lscpu|numactl -[hHs]|df|date|sleep|mkdir|rsync|cp)\b/;
const STEP = /^[^#\n]{0,200}?\bsrun\b/;
const DIRECTIVE = /^#SBATCH\b/;

/**
 * The memory that a Slurm job may take on its node: as the step that starts the engine asks for it, else as the job's command
 * does, which outranks the directives of its script; not known where two of a kind differ.
 */
export function readSlurmLimit({ readings }: Pick<Evidence, 'readings'>): Cited<number> | undefined {
  const asked = askedIn(readings.texts.get('args.txt') ?? '');
  const [first, ...more] =
    [2, 1, 0].map((rank) => asked.filter((one) => one.rank === rank)).find((of) => of.length > 0) ?? [];
  return more.some(({ size }) => size.value !== first?.size.value) ? undefined : first?.size;
}

function askedIn(text: string): readonly { readonly rank: number; readonly size: Cited<number> }[] {
  return allLines(text).flatMap((line) => {
    const { digits, unit } = ASKED.exec(line.text)?.groups ?? {};
    const bytes = digits === undefined ? 0 : (parseSize(`${digits}${(unit || 'M').toUpperCase()}iB`) ?? 0);
    const isStep = STEP.test(line.text);
    if (bytes <= 0 || (isStep && LOOKS.test(line.text))) return [];
    const rank = isStep ? 2 : DIRECTIVE.test(line.text) ? 0 : 1;
    return [{ rank, size: cited(bytes, 'args.txt', line) }];
  });
}
