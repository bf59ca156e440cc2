import type { FactEntry } from '../../model/fact.ts';
import { LOG, NODE, STATUS } from '../needs.ts';

/** What makes an incident worse without being its cause. */
export const AMPLIFIER_FACTS: readonly FactEntry[] = [
  {
    id: 'amplifier.tight-probe',
    unit: 'yes-no',
    says: 'the startup probe, or a liveness probe without one, gives up before the engine has started',
    needs: `${STATUS} with the probes, and ${LOG} with its start`,
  },
  {
    id: 'amplifier.shared-gpu',
    unit: 'yes-no',
    says: 'several pods may use the same GPU: time-slicing, MPS or a share of its memory',
    needs: NODE,
  },
  {
    id: 'amplifier.limit-equals-request',
    unit: 'yes-no',
    says: 'limit and request of memory are equal, so that a peak has nowhere to go',
    needs: STATUS,
  },
  {
    id: 'amplifier.cpu-autoscaling',
    unit: 'yes-no',
    says: 'autoscaling looks at CPU or RAM alone, which tell nothing of the load on a GPU',
    needs: 'the autoscalers of the workload (autoscalers.json)',
  },
  {
    id: 'amplifier.eviction-blocked',
    unit: 'yes-no',
    says: 'a disruption budget allows no pod to be moved',
    needs: 'the disruption budgets of the pod (autoscalers.json)',
  },
  {
    id: 'amplifier.node-mixing',
    unit: 'yes-no',
    says: 'no taint keeps other work off the node with the GPUs',
    needs: NODE,
  },
];
