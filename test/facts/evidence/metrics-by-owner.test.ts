import { describe, expect, it } from 'vitest';
import { type Files, known, valueIn, verdictOfFiles } from '../incident.ts';
import { FAILED_ASSERTION as ASSERT } from '../served-engine.ts';

const filesOf = (metrics: string, files: Files) => ({
  ...known({ engine: 'vllm' }),
  ...files,
  'metrics.txt': `${metrics}\n`,
});

const verdictOf = (metrics: string, files: Files = {}) =>
  verdictOfFiles(filesOf(metrics, { 'previous.log': ASSERT, ...files }));

const factOf = (id: string, metrics: string, files: Files = {}) => valueIn(filesOf(metrics, files), id);

const NAMED = { 'describe.txt': 'Name: vllm-0\nNamespace: serving\n' };

const ANEW = { 'pod.json': JSON.stringify({ metadata: { name: 'vllm-0', uid: '2' } }) };

const ended = (labels: string, reason = 'OOMKilled') =>
  `kube_pod_container_status_last_terminated_reason{${labels},reason="${reason}"} 1`;
/** One that was OOMKilled, and one that ended on an error. */
const both = (killed: string, failed: string) => `${ended(killed)}\n${ended(failed, 'Error')}`;
const namesakes = (label: string) =>
  both(`${label}="1",pod="vllm-0",container="vllm"`, `${label}="2",pod="vllm-0",container="vllm"`);
const used = (labels: string, bytes: number) => `container_memory_working_set_bytes{${labels}} ${bytes}`;
const kills = (labels: string, times = 2) => `container_oom_events_total{${labels}} ${times}`;
const waiting = (labels: string, requests: number) => `vllm:num_requests_waiting{${labels}} ${requests}`;

const top = (container: string, mebibytes: number) => `vllm-0  ${container}  5m  ${mebibytes}Mi\n`;

describe('a kill that metrics tell of', () => {
  it.each([
    ['another pod than the one described', ended('namespace="serving",pod="shop-0",container="shop"'), NAMED],
    ['a pod that had its name before', ended('pod="vllm-0",uid="1",container="vllm"'), ANEW],
    ['another namespace', ended('namespace="test",pod="vllm-0",container="vllm"'), NAMED],
    ['a pod that runs no engine', ended('pod="grafana-0",container="grafana"'), {}],
    ['a helper, first of all', both('pod="a",container="fluent-bit"', 'pod="a",container="llm"'), {}],
    ['a helper by the cgroup', kills('pod="vllm-0",container="fluent-bit"'), {}],
    ['a helper in a table', 'container   reason     value\nfluent-bit  OOMKilled  1\nvllm        Error      1', {}],
  ])('is none of the engine’s: %s', async (_name, metrics, files) => {
    expect(await verdictOf(metrics, files)).toMatchObject({ plane: 'none', cause: 'none.other' });
    expect(await factOf('kernel.oom-kill', metrics, files)).toBeUndefined();
  });

  it.each([
    ['one of two that could be the engine', both('pod="a",container="x"', 'pod="a",container="y"')],
    ['one of two replicas', both('pod="p-0",container="vllm"', 'pod="p-1",container="vllm"')],
    ['the only one, of which nothing says that it is the engine', ended('pod="shop-0",container="shop"')],
    ['one of two of its name in two namespaces', namesakes('namespace')],
    ['one of two that had its name in turn', namesakes('uid')],
    ['two reasons at once', both('pod="p-0",container="vllm"', 'pod="p-0",container="vllm"')],
    ['one of two by the cgroup', `${kills('pod="a",container="x"')}\n${kills('pod="a",container="y"', 0)}`],
  ])('proves nothing where it may be another’s: %s', async (_name, metrics) => {
    expect(await factOf('death.oom-killed', metrics)).not.toBe(true);
    expect(await factOf('kernel.oom-kill', metrics)).toBeUndefined();
    expect(await verdictOf(metrics)).toMatchObject({ plane: 'none', cause: 'none.other' });
  });
});

const OWN = 'namespace="serving",pod="vllm-0",container="vllm"';
const SIDE = 'namespace="serving",pod="vllm-0",container="fluent-bit"';

const TOP = `POD  NAME  CPU(cores)  MEMORY(bytes)\n${top('vllm', 3)}\n${top('fluent-bit', 9)}`;

it.each([
  ['ram.used', `${used(OWN, 40)}\n${used(SIDE, 60)}`, {}, 40],
  ['ram.used', used('namespace="serving",pod="shop-0",container="shop"', 60), NAMED, undefined],
  ['ram.used', TOP.repeat(2), {}, 3 * 1024 ** 2],
  ['requests.waiting', `${waiting('pod="vllm-0"', 4)}\n${waiting('pod="vllm-1"', 6)}`, NAMED, 4],
  ['requests.waiting', `${waiting('instance="a:8000"', 4)}\n${waiting('instance="b:8000"', 6)}`, {}, undefined],
  ['requests.waiting', `${waiting('engine="0"', 4)}\n${waiting('engine="1"', 6)}`, {}, 10],
])('a figure that metrics tell: %s is that of the engine: %s', async (id, metrics, files, expected) => {
  expect(await factOf(id, metrics, files as Files)).toBe(expected);
});
