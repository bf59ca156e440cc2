import { Autoscalers } from '../../model/autoscalers.ts';
import type { FieldCitation } from '../../model/citation.ts';
import type { Cited } from '../../model/engine-reader.ts';
import type { Fact } from '../../model/fact.ts';
import { parseJsonFile } from '../../model/json-file.ts';
import { Node } from '../../model/kubernetes.ts';
import { firstOf } from '../../read/cluster/gather.ts';
import { fieldOf } from '../../read/cluster/read-pod-json.ts';
import { readScaling, type ScalingReading } from '../../read/cluster/scaling.ts';
import { unknown } from '../../read/reading.ts';
import { defineFacts } from '../evidence/define.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { citedNumber, fact, uniqueProof } from '../log/draft.ts';
import { LOG, NODE, STATUS } from '../log/needs.ts';
import { readStartTime } from '../when/start-time.ts';
import { sharedGpu } from './shared-gpu.ts';

/** What makes an incident worse without being its cause. */
export const AMPLIFIERS = defineFacts(
  {
    'amplifier.tight-probe': {
      unit: 'yes-no',
      says: 'the startup probe, or a liveness probe without one, gives up before the engine has started',
      needs: `${STATUS} with the probes, and ${LOG} with its start`,
    },
    'amplifier.shared-gpu': {
      unit: 'yes-no',
      says: 'several pods may use the same GPU: time-slicing, MPS or a share of its memory',
      needs: NODE,
    },
    'amplifier.limit-equals-request': {
      unit: 'yes-no',
      says: 'memory limit and request are equal: no room for a peak',
      needs: STATUS,
    },
    'amplifier.cpu-autoscaling': {
      unit: 'yes-no',
      says: 'autoscaling uses CPU or RAM alone, which say nothing about GPU load',
      needs: 'the autoscalers of the workload (autoscalers.json)',
    },
    'amplifier.eviction-blocked': {
      unit: 'yes-no',
      says: 'a disruption budget blocks every eviction',
      needs: 'the disruption budgets of the pod (autoscalers.json)',
    },
    'amplifier.node-mixing': { unit: 'yes-no', says: 'no taint keeps other work off the GPU node', needs: NODE },
  },
  (evidence) => {
    const scaling = readAutoscalers(evidence);
    const limit = citedNumber(evidence.spec.memoryLimit);
    const request = citedNumber(evidence.spec.memoryRequest);
    return {
      'amplifier.tight-probe': tightProbe(evidence),
      'amplifier.shared-gpu': sharedGpu(evidence),
      'amplifier.limit-equals-request':
        limit && request && fact(limit.value === request.value, [limit.from, request.from]),
      'amplifier.cpu-autoscaling': scaling?.cpuOnly,
      'amplifier.eviction-blocked': scaling?.evictionBlocked,
      'amplifier.node-mixing': nodeMixing(evidence),
    };
  },
);

function readAutoscalers({ readings, pod }: Evidence): ScalingReading | undefined {
  const text = readings.texts.get('autoscalers.json');
  const file = text === undefined ? undefined : parseJsonFile(Autoscalers, text);
  if (file?.kind === 'bad') {
    const bad = unknown(file.reason, `autoscalers.json: ${file.detail}`);
    return { cpuOnly: bad, evictionBlocked: bad };
  }
  const name = firstOf(pod, (view) => view.name)?.value;
  return file && readScaling(file.value, { name, labels: pod.views[0]?.labels });
}

// A start that was not seen to its end proves that a probe is too tight, and never that it is not. What became ready was
// let live, whatever the log says: a port may answer long before the engine does.
function tightProbe(evidence: Evidence): Fact | undefined {
  const { spec, kubernetes } = evidence;
  const waits = patienceOf(spec);
  if (waits === undefined) {
    // Only pod.json shows that there is no probe; a piece of `describe` may have been cut.
    const isWhole = spec.startup === undefined && spec.liveness === undefined && spec.image?.from.kind === 'field';
    return isWhole && spec.image ? fact(false, [spec.image.from]) : undefined;
  }
  const { readiness, probeKilled } = kubernetes;
  if (readiness.kind === 'known' && readiness.value !== 'before-ready') {
    return fact(false, [waits.from, ...readiness.from]);
  }
  if (readiness.kind === 'known' && probeKilled.kind === 'known' && probeKilled.value) {
    return fact(true, uniqueProof([waits.from, ...probeKilled.from, ...readiness.from]));
  }
  const start = readStartTime(evidence);
  const proof = uniqueProof([waits.from, ...(start?.from ?? [])]);
  if (start !== undefined && start.seconds >= waits.value) return fact(true, proof);
  if (start?.isWhole === true) return fact(false, proof);
  return unknown('not-in-snapshot', 'the log does not show how long the start takes');
}

// kubelet defaults, where a probe does not say.
const PERIOD_SEC = 10;
const THRESHOLD = 3;
const TIMEOUT_SEC = 1;

// How long, in seconds, the kubelet lets the engine start. A liveness probe counts only where no startup probe holds it back.
// At most: the first attempt comes within a period of the delay, and the last one may wait for its answer.
function patienceOf({ startup, liveness }: Evidence['spec']): Cited<number> | undefined {
  const probe = startup ?? liveness;
  if (probe?.from === undefined) return undefined;
  const { delaySec = 0, periodSec = PERIOD_SEC, threshold = THRESHOLD, timeoutSec = TIMEOUT_SEC } = probe;
  return { value: delaySec + periodSec * threshold + timeoutSec, from: probe.from };
}

// Set by the node's own life and by tools that empty it: they come and go, and part no kinds of work.
const PASSING = /^(?:node\.kubernetes\.io|node\.cloudprovider\.kubernetes\.io)\/|ClusterAutoscaler|^karpenter\.sh\//;
const LONGEST = 2000;

// Unknown for a node that shows no GPU.
function nodeMixing({ node, spec, readings }: Evidence): Fact | undefined {
  const isGpuNode = node?.product.kind === 'known' || node?.count.kind === 'known' || spec.gpuCount.kind === 'known';
  const text = readings.texts.get('node.json') ?? '';
  const file = parseJsonFile(Node, text);
  if (!isGpuNode || file.kind !== 'value' || file.value.spec === undefined) return undefined;
  const taints = file.value.spec.taints ?? [];
  const kept = taints.findIndex(({ key = '', effect }) => effect !== 'PreferNoSchedule' && !PASSING.test(key));
  if (kept === -1) return fact(true, [specOf(text)]);
  const cited = fieldOf('node.json')(taints[kept]?.key, `/spec/taints/${kept}/key`);
  return cited && fact(false, [cited.from]);
}

// That something is missing is shown by what stands around it, in the order of the file.
function specOf(text: string): FieldCitation {
  const node = JSON.parse(text) as { spec?: unknown };
  return { kind: 'field', file: 'node.json', path: '/spec', text: JSON.stringify(node.spec).slice(0, LONGEST) };
}
