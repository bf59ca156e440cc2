import type { Fact } from '../../model/fact.ts';
import { hasRole } from '../../model/signature-roles.ts';
import { known } from '../../read/reading.ts';
import { defineFacts } from '../evidence/define.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { readOomLogged } from '../evidence/oom-logged.ts';
import { citeHit } from '../evidence/weigh.ts';
import { fact } from '../log/draft.ts';
import { LOG } from '../log/needs.ts';
import { firstFailures } from '../when/sequence.ts';

/** The line that reports that GPU memory ran out, or that a GPU broke. */
export const GPU_OOM = defineFacts(
  {
    'gpu.oom-logged': { unit: 'yes-no', says: 'a line proves a GPU memory shortage', needs: LOG },
    'gpu.oom-bare': {
      unit: 'yes-no',
      says: 'GPU out of memory without allocator figures: pinned memory, a driver call or a graph capture, not the pool of PyTorch',
      needs: LOG,
    },
    'gpu.oom-at': { unit: 'time', says: 'time of that line, and where RAM ran out too of the first', needs: LOG },
    'gpu.hardware-fault': {
      unit: 'choice',
      values: ['device', 'access-lost'],
      says: 'the fault that the line reports: of the GPU itself, or of the access that the container has to it',
      needs: LOG,
    },
  },
  (evidence) => {
    const { weighing, account } = evidence;
    const { decisive } = weighing;
    const proof = weighing.proofs.find(({ signature }) => signature.plane === 'gpu');
    const oom = proof ?? (decisive?.signature.plane === 'gpu' ? decisive : undefined);
    const { gpu, host } = firstFailures(evidence);
    const first = host && gpu && fact(gpu.at, gpu.from);
    return {
      'gpu.oom-logged': readOomLogged(evidence, 'gpu'),
      'gpu.oom-bare': oom && fact(account?.want === undefined && hasRole(oom.signature, 'no-figures'), [citeHit(oom)]),
      'gpu.oom-at': first ?? (oom && fact(oom.hit.at, [citeHit(oom)])),
      'gpu.hardware-fault': readHardwareFault(evidence),
    };
  },
);

// ECC errors that could not be corrected (48, 94, 95, 140), a row that could not be remapped (64), a GPU off the bus (79):
// NVIDIA GPU debug guidelines, Xid errors. 63 is a remap that went well.
const XIDS: ReadonlySet<string> = new Set(['48', '64', '79', '94', '95', '140']);

// Known only where it is so.
function readHardwareFault({ weighing: { decisive } }: Evidence): Fact | undefined {
  if (decisive === undefined) return undefined;
  if (hasRole(decisive.signature, 'access-lost')) return known('access-lost', citeHit(decisive));
  const isFault = hasRole(decisive.signature, 'hardware-fault') || XIDS.has(decisive.hit.captures.xid ?? '');
  return isFault ? known('device', citeHit(decisive)) : undefined;
}
