import { expect, it } from 'vitest';
import { parseJsonFile, RevisionsFile } from '../../../src/model/json-file.ts';
import { Pod } from '../../../src/model/kubernetes.ts';
import { readContainerSpec } from '../../../src/read/cluster/container-spec.ts';
import { gatherPod } from '../../../src/read/cluster/gather.ts';
import { readVpaLimit } from '../../../src/read/cluster/vpa-limit.ts';

const updatedBy = (name: string, of: string) => `Pod resources updated by ${name}: ${of}`;
const UPDATES = updatedBy('chat-vpa', 'container 0: cpu request, memory request, memory limit');

type Given = {
  annotations?: Record<string, unknown>;
  limit?: string;
  template?: string | undefined;
  names?: string[];
  namespace?: string;
};

function read({ annotations = { vpaUpdates: UPDATES }, limit = '20Gi', names = ['vllm'], ...given }: Given) {
  const containers = names.map((name) => ({ name, resources: { limits: { memory: limit } } }));
  const metadata = { name: 'chat-0', namespace: given.namespace ?? 'llm', annotations };
  const pod = gatherPod({ pod: Pod.parse({ metadata, spec: { containers } }) });
  const limits = 'template' in given ? { memory: given.template } : { memory: '64Gi' };
  const template = { spec: { containers: [{ name: 'vllm', resources: { limits } }] } };
  const file = parseJsonFile(RevisionsFile, JSON.stringify([{ name: 'chat-1', template }]));
  const found = readVpaLimit(file.kind === 'value' ? file.value : [], {
    container: 'vllm',
    pod: pod.views[0],
    limit: readContainerSpec(pod, 'vllm').memoryLimit,
  });
  return [found?.cut, found?.object].map((one) => (one?.kind === 'known' ? one.value : undefined));
}

const CUT = 'VPA chat-vpa set the memory limit to 20 GiB (the template says 64 GiB)';
const FOUND = [CUT, 'vpa chat-vpa -n llm'];
const NONE = [undefined, undefined];
const LONG = `v${'a'.repeat(251)}z`;
const SECOND = 'container 1: memory capped to maxAllowed, memory limit';
const marked = (vpaUpdates: unknown): Given => ({ annotations: { vpaUpdates } });
const proxyFirst = { names: ['istio-proxy', 'vllm'], annotations: { vpaUpdates: UPDATES } };

it.each<[string, Given, unknown[]]>([
  ['below the template', {}, FOUND],
  ['in bytes', { limit: '21474836480' }, FOUND],
  [
    'of the second container',
    { names: ['proxy', 'vllm'], ...marked(updatedBy('chat-vpa', `container 0: cpu request; ${SECOND}`)) },
    FOUND,
  ],
  [
    'where a sidecar was injected before it later',
    { ...proxyFirst, annotations: { vpaUpdates: UPDATES, vpaObservedContainers: 'vllm' } },
    FOUND,
  ],
  ['not of another container', proxyFirst, NONE],
  ['not where it raised the limit', { limit: '96Gi' }, NONE],
  ['not where the limit is the same', { limit: '64Gi' }, NONE],
  ['not where rounding hides what it took', { limit: '65500Mi' }, NONE],
  ['not where it set requests alone', marked(updatedBy('chat-vpa', 'container 0: memory request')), NONE],
  ['not where the pod has no limit', { limit: '' }, NONE],
  ['not where the template has none', { template: undefined }, NONE],
  ['not where the template has what is no quantity', { template: 'lots' }, NONE],
  ['not without its mark', { annotations: {} }, NONE],
  ['not by a mark that is no text', marked(7), NONE],
  ['not by a mark that is cut off', marked('Pod resources updated by chat-vpa'), NONE],
  ['not by a name that is none, which a shell would run', marked(UPDATES.replace('chat-vpa', 'x; reboot')), NONE],
  ['not by a wrong index', marked(UPDATES.replace('container 0', 'container -1')), NONE],
  ['without a namespace that is none', { namespace: '$(reboot)' }, [CUT, 'vpa chat-vpa']],
  [
    'by a long name, short in the sentence and whole in the command',
    marked(UPDATES.replace('chat-vpa', LONG)),
    [CUT.replace('chat-vpa', `${LONG.slice(0, 59)}…`), `vpa ${LONG} -n llm`],
  ],
  ['not by a longer one than can be', marked(UPDATES.replace('chat-vpa', `a${LONG}`)), NONE],
])('the VPA that set the memory limit: %s', (_name, given, found) => {
  expect(read(given)).toEqual(found);
});
