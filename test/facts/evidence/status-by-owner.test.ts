import { describe, expect, it } from 'vitest';
import { type Files, logged, verdictOfFiles } from '../incident.ts';
import { ASSERTION, described, EVENTS, GPU_OOM, SERVED } from '../served-engine.ts';

const verdictOf = (log: readonly string[], describeText: string, files: Files = {}) =>
  verdictOfFiles({ ...logged(...log), 'describe.txt': describeText, ...files });

const WELL = `Name:             vllm-1
Namespace:        serving
Status:           Running
Containers:
  vllm:
    Image:          vllm/vllm-openai:v1
    State:          Running
      Started:      Mon, 14 Sep 2026 10:00:00 +0000
    Restart Count:  0
`;
const CRASHED = described('vllm-0', 'Error', 1);
const OOM_KILLED = described('vllm-0', 'OOMKilled', 137);
const REPLICA_KILLED = described('vllm-1', 'OOMKilled', 137);
const AGENT_KILLED = described('cache', 'OOMKilled', 137, 'c', 'redis:7');
const systemOom = (victim: string) =>
  `  Warning  SystemOOM  2m  kubelet  System OOM encountered, victim process: ${victim}, pid: 41235\n`;
const ROWS = 'NAME               READY   STATUS    RESTARTS    AGE\n';
const OWN_ROW = 'vllm-0             0/1     CrashLoopBackOff   3 (1m ago)   4h\n';
const LISTED = 'LAST SEEN   TYPE      REASON       OBJECT          MESSAGE\n';
const KILLED = 'Memory cgroup out of memory: Killed process 9911';
const SIZES = 'total-vm:262144kB, anon-rss:120000kB, file-rss:1268kB';

it.each([
  ['the row of an agent', `${ROWS}fluent-bit-7kq2x   0/1     OOMKilled   5 (2m ago)  8d\n${OWN_ROW}`],
  ['the row of a pod of another name', `${ROWS}batch-embed-k2x4p  0/1     OOMKilled   5 (2m ago)  8d\n${OWN_ROW}`],
  ['the description of an agent', CRASHED + AGENT_KILLED],
  ['the same, above', AGENT_KILLED + CRASHED],
  ['its events', `${CRASHED}${WELL}${EVENTS}  Warning  Evicted  2m  kubelet  The node was low on resource: memory.\n`],
  ['a system OOM with another victim', `${CRASHED}${EVENTS}${systemOom('node_exporter')}`],
  [
    'a kill told by the node',
    `${CRASHED}${LISTED}3m   Warning   OOMKilling   node/gpu-1   ${KILLED} (fluent-bit) ${SIZES}\n`,
  ],
])('what another pod or process met with is not what ended the engine: %s', async (_, text) => {
  expect(await verdictOf(GPU_OOM, text)).toMatchObject({ plane: 'gpu', certain: true });
  expect(await verdictOf(ASSERTION, text)).toMatchObject({ plane: 'none' });
});

const INSPECTED = (name: string, image: string, isKilled: boolean, code: number) => `    {
        "State": {
            "OOMKilled": ${isKilled},
            "ExitCode": ${code}
        },
        "Name": "/${name}",
        "Config": { "Image": "${image}" }
    }`;

describe('loose lines of an end are of the one that they name', () => {
  const inspected = (cache: readonly [boolean, number], engine: readonly [boolean, number]) =>
    `[\n${INSPECTED('cache', 'redis:7', ...cache)},\n${INSPECTED('vllm', 'vllm/vllm-openai:v1', ...engine)}\n]\n`;
  const CRICTL =
    '{\n  "status": {\n    "metadata": { "name": "fluent-bit" },\n    "exitCode": 137,\n    "reason": "OOMKilled"\n  }\n}\n';
  const COLUMNS =
    'NAME              REASON     EXIT\nfluent-bit-7kq2x  OOMKilled  137\nvllm-0            Error      1\n';

  it.each([
    ['docker inspect', inspected([true, 137], [false, 1])],
    ['crictl inspect', CRICTL],
    ['docker inspect with a format', '/redis-cache OOMKilled=true ExitCode=137\n/vllm OOMKilled=false ExitCode=1\n'],
    ['rows of columns of one’s own', COLUMNS],
    ['a name that says nothing beside that of the engine', 'cache OOMKilled=true\nvllm-1   exited with code 1\n'],
  ])('%s', async (_, text) => {
    expect(await verdictOf(GPU_OOM, text)).toMatchObject({ plane: 'gpu', certain: true });
    expect(await verdictOf(ASSERTION, text)).toMatchObject({ plane: 'none' });
    expect(await verdictOf(SERVED, text)).toMatchObject({ certain: false });
  });

  it('and prove it where that is the engine', async () => {
    expect(await verdictOf(SERVED, inspected([false, 0], [true, 137]))).toMatchObject({ plane: 'host', certain: true });
  });
});

it('the JSON of a pod has all its containers in one object: a hint', async () => {
  const states = ['istio-proxy', 'serve'].map(
    (name, i) =>
      `  {\n   "lastState": { "terminated": { "reason": "${['Error', 'OOMKilled'][i]}" } },\n   "name": "${name}"\n  }`,
  );
  const json = `{\n "containerStatuses": [\n${states.join(',\n')}\n ]\n}\n`;

  expect(await verdictOf(SERVED, json)).toMatchObject({ plane: 'host', certain: false });
});

describe('what the engine’s own pod met with stays certain', () => {
  const own = { plane: 'host', certain: true };
  const row = (name: string) => `${ROWS}${name}   0/1   OOMKilled   3 (1m ago)   4h\n`;

  it.each([
    ['a description beside that of an agent', described('cache', 'Error', 1, 'c', 'redis:7') + OOM_KILLED],
    ['a description beside that of a replica that is well', WELL + OOM_KILLED],
    ['replicas that ended alike', OOM_KILLED + REPLICA_KILLED],
    ['its row', `${row('vllm-0')}fluent-bit-7kq2x   1/1   Running   5 (2d ago)   8d\n`],
    ['the row of the only one that is not well', `${row('qwen-0')}gateway-1   1/1   Running   0   8d\n`],
    ['a system OOM with its process', `${described('vllm-0', 'Error', 137)}${EVENTS}${systemOom('VLLM::EngineCor')}`],
    ['a description below a table', `${ROWS}vllm-0   1/1   Running   3 (1m ago)   4h\n\n${OOM_KILLED}`],
  ])('%s', async (_, text) => {
    expect(await verdictOf(SERVED, text)).toMatchObject(own);
  });

  it('by the name that pod.json tells, and takes nothing from the description of another pod', async () => {
    const pod = JSON.stringify({ metadata: { name: 'vllm-1' }, spec: { containers: [{ name: 'vllm' }] } });
    const of = (text: string) => verdictOf(SERVED, text, { 'pod.json': pod });

    expect(await of(CRASHED + REPLICA_KILLED)).toMatchObject(own);
    expect(await of(OOM_KILLED)).toMatchObject({ certain: false });
  });
});

it.each([
  ['replicas that ended each in another way', CRASHED + REPLICA_KILLED],
  ['the same, the other way round', REPLICA_KILLED + CRASHED],
  ['rows of replicas', `${ROWS}vllm-1   0/1   OOMKilled   3 (1m ago)   4h\n${OWN_ROW}`],
  [
    'rows of names that say nothing',
    `${ROWS}embed-1   0/1   OOMKilled   3 (1m ago)   4h\nqwen-0   0/1   CrashLoopBackOff   4 (1m ago)   4h\n`,
  ],
])('of which pod it is cannot be told: %s: nothing is certain by it', async (_, text) => {
  expect(await verdictOf(SERVED, text)).toMatchObject({ plane: 'host', certain: false });
  expect(await verdictOf(GPU_OOM, text)).toMatchObject({ plane: 'gpu', certain: true });
});
