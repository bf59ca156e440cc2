import { Autoscalers } from '../../model/autoscalers.ts';
import type { Fact } from '../../model/fact.ts';
import { parseJsonFile } from '../../model/json-file.ts';
import { unknown } from '../../read/cluster/reading.ts';
import { readScaling, type ScalingReading } from '../../read/cluster/scaling.ts';
import { fact, type Group, uniqueProof } from '../draft.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { sharedGpu } from '../gpu/shared-card.ts';
import { readStartTime, type StartTime } from '../when/start-time.ts';
import { nodeMixing } from './amplifiers-of-gpu.ts';
import { type Patience, readPatience } from './probe-patience.ts';

type Told = Readonly<Record<string, Fact | undefined>>;

/** What makes the incident worse beside its cause: pure sums over what the readers and the other facts tell. */
export function deriveAmplifiers(evidence: Evidence, told: Told): Group {
  const scaling = readAutoscalers(evidence);
  return {
    ...ofProbe(evidence),
    'amplifier.shared-gpu': sharedGpu(evidence),
    'amplifier.limit-equals-request': told['ram.limit-equals-request'],
    'amplifier.cpu-autoscaling': scaling?.cpuOnly,
    'amplifier.eviction-blocked': scaling?.evictionBlocked,
    'amplifier.node-mixing': nodeMixing(evidence),
  };
}

function readAutoscalers({ readings }: Evidence): ScalingReading | undefined {
  const text = readings.texts.get('autoscalers.json');
  const file = text === undefined ? undefined : parseJsonFile(Autoscalers, text);
  if (file?.kind === 'bad') {
    const bad = unknown(file.reason, `autoscalers.json: ${file.detail}`);
    return { cpuOnly: bad, evictionBlocked: bad };
  }
  return file && readScaling(file.value);
}

function ofProbe(evidence: Evidence): Group {
  const patience = readPatience(evidence);
  const start = readStartTime(evidence);
  return {
    'amplifier.tight-probe': tightProbe(evidence, patience, start),
  };
}

// A start that was not seen to its end proves that a probe is too tight, and never that it is not. What became ready was
// let live, whatever the log says: a port may answer long before the engine does.
function tightProbe({ kubernetes }: Evidence, patience: Patience, start: StartTime | undefined): Fact | undefined {
  if (patience.kind === 'unknown') return undefined;
  if (patience.kind === 'none') return fact(false, [patience.from]);
  const { waits } = patience;
  const { readiness, probeKilled } = kubernetes;
  const isReady = readiness.kind === 'known' && readiness.value !== 'before-ready';
  if (isReady) return fact(false, [waits.from, ...readiness.from]);
  if (readiness.kind === 'known' && probeKilled.kind === 'known' && probeKilled.value) {
    return fact(true, uniqueProof([waits.from, ...probeKilled.from, ...readiness.from]));
  }
  const proof = uniqueProof([waits.from, ...(start?.from ?? [])]);
  if (start !== undefined && start.seconds >= waits.value) return fact(true, proof);
  if (start?.isWhole === true) return fact(false, proof);
  return unknown('not-in-snapshot', 'the log does not show how long the start takes');
}

// A CUDA context takes 0.3 to 0.6 GiB; before a start up to 2.3 GiB were a context and a display in public reports.

// Triton runs each Python model in a process of its own: those are one server. Other engines have one process on a card.
