import type { Citation } from '../../model/citation.ts';
import type { Fact } from '../../model/fact.ts';
import { parseJsonFile } from '../../model/json-file.ts';
import { Pod } from '../../model/kubernetes.ts';
import { containersOf } from '../../read/cluster/gather.ts';
import { fieldOf, pointerWord } from '../../read/cluster/read-pod-json.ts';
import { citeLine, evidenceLines } from '../../read/text/lines.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { fact } from '../log/draft.ts';

// Device plugins that hand out a part of the memory of one GPU: HAMi, Alibaba, Volcano, and the renamed resource of NVIDIA's.
const PART = /^(?:nvidia\.com\/(?:gpumem|gpucores|gpu\.shared)|aliyun\.com\/gpu-mem|volcano\.sh\/vgpu-)/;
// Run:ai's request for a part of a GPU, and what HAMi's scheduler writes.
const MARKS = ['gpu-fraction', 'hami.io/vgpu-devices-allocated'];
// What HAMi's plugin sets for its library (Project-HAMi/HAMi-core), and a client of CUDA's MPS.
const VARIABLES =
  /^(?:CUDA_DEVICE_(?:MEMORY_LIMIT|SM_LIMIT)|CUDA_MPS_(?:PIPE_DIRECTORY|ACTIVE_THREAD_PERCENTAGE|PINNED_DEVICE_MEM_LIMIT))/;
const MPS_SERVER = /nvidia-cuda-mps-server/;
// The labels of the GPU feature discovery (NVIDIA/k8s-device-plugin), the marks and the resources, as `kubectl describe` shows them.
const DESCRIBED =
  /\bnvidia\.com\/gpu\.(?:replicas["']?\s{0,8}[=:]\s{0,8}["']?(?!1\b)[1-9]\d{0,3}\b|sharing-strategy["']?\s{0,8}[=:]\s{0,8}["']?(?:time-slicing|mps)\b|product["']?\s{0,8}[=:]\s{0,8}["']?[\w.-]{1,80}-SHARED\b)|(?:^|\s)(?:gpu-fraction|hami\.io\/vgpu-devices-allocated)\s{0,8}[=:]/;

const DESCRIBE = 'describe.txt';
const ofPod = fieldOf('pod.json');

/** Whether several pods may use one GPU: time-slicing, MPS, or a request for a part of a GPU. */
export function sharedGpu(evidence: Evidence): Fact | undefined {
  const mark =
    partOf(evidence) ?? markOf(evidence) ?? variableOf(evidence) ?? serverOf(evidence) ?? describedOf(evidence);
  return mark === undefined ? evidence.node?.shared : fact(true, [mark]);
}

function partOf({ spec, pod }: Evidence): Citation | undefined {
  const engine = containersOf(pod).find(({ name }) => name?.value === spec.name);
  return [...(engine?.limits ?? []), ...(engine?.requests ?? [])].find(([name]) => PART.test(name))?.[1].from;
}

function markOf({ readings }: Evidence): Citation | undefined {
  const file = parseJsonFile(Pod, readings.texts.get('pod.json') ?? '');
  const annotations = file.kind === 'value' ? file.value.metadata?.annotations : undefined;
  const found = MARKS.find((name) => annotations?.[name] !== undefined);
  return found === undefined
    ? undefined
    : ofPod(annotations?.[found], `/metadata/annotations/${pointerWord(found)}`)?.from;
}

function variableOf({ spec }: Evidence): Citation | undefined {
  return spec.env.find(({ name }) => VARIABLES.test(name))?.value?.from;
}

function serverOf({ smi }: Evidence): Citation | undefined {
  return smi?.processes.find(({ name }) => name !== undefined && MPS_SERVER.test(name))?.used?.from;
}

function describedOf({ readings }: Evidence): Citation | undefined {
  const line = evidenceLines(readings.texts.get(DESCRIBE) ?? '').find(({ text }) => DESCRIBED.test(text));
  return line && citeLine(DESCRIBE, line);
}
