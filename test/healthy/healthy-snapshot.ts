import fc from 'fast-check';
import { BOILERPLATE } from '../read/engine/boilerplate-lines.ts';
import { HEALTHY_ENGINES, type HealthyEngine, type Load } from './engines.ts';

export const PHASES = ['starting', 'serving', 'idle', 'restarted', 'log-rotated'] as const;
export type HealthyPhase = (typeof PHASES)[number];

/** A snapshot of an engine that is well, and what it was made of. */
export type HealthySnapshot = {
  readonly engine: string;
  readonly version: string;
  readonly phase: HealthyPhase;
  readonly load: Load;
  readonly files: Readonly<Record<string, string>>;
};

const NOW = Date.parse('2026-02-01T12:00:00Z');
const GIB = 2 ** 30;

// What people ask an engine, and what it then prints.
const QUESTIONS = [
  'why do I get torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 GiB. GPU 0 has a total capacity of 79.10 GiB of which 1.00 GiB is free?',
  'my pod was OOMKilled with exit code 137, what does Memory cgroup out of memory: Killed process 12 (python) mean',
  'explain: RuntimeError: CUDA error: out of memory\\nand No available memory for the cache blocks',
  'translate: ValueError: To serve at least one request with the models max seq len (131072), 16.00 GiB KV cache is needed',
  'ggml_backend_cuda_buffer_type_alloc_buffer: allocating 4096.00 MiB on device 0: cudaMalloc failed: out of memory - what now?',
  'std::bad_alloc, MemoryError and Cannot allocate memory: which one is mine',
];

// An engine's own notes stand in its own logs; those of PyTorch, Python and Ray in any.
const NOTES_OF: readonly (readonly [engine: string, RegExp])[] = [
  ['vllm', /model_runner|api_server|cli_args|serving_chat|abstract\.py|config\.py:1\]|system_utils/],
  ['sglang', /Not enough host memory for request/],
];

const share = fc.double({ min: 0, max: 1, noNaN: true });
const NOISE = fc.record({ line: fc.constantFrom(...BOILERPLATE.map(([, line]) => line)), at: share });
const STRINGS = fc.record({
  noise: fc.array(NOISE, { maxLength: 4 }),
  questions: fc.array(fc.constantFrom(...QUESTIONS), { maxLength: 2 }),
});

const load: fc.Arbitrary<Load> = fc.record({
  running: fc.integer({ min: 1, max: 256 }),
  waiting: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 60 })),
  pool: fc.oneof(fc.constantFrom(0.95, 0.99, 1), fc.double({ min: 0.05, max: 1, noNaN: true })),
});

const choices = fc.record({
  engine: fc.constantFrom(...HEALTHY_ENGINES),
  versionAt: fc.nat({ max: 7 }),
  phase: fc.constantFrom(...PHASES),
  cut: share,
  load,
  repeats: fc.integer({ min: 1, max: 6 }),
  weightsGib: fc.constantFrom('14.9889', '17.2031', '68.5100'),
  ended: fc.constantFrom({ reason: 'Completed', exitCode: 0 }, { reason: 'Error', exitCode: 143 }),
  with: fc.record({
    pod: fc.boolean(),
    smi: fc.boolean(),
    metrics: fc.boolean(),
    series: fc.boolean(),
    args: fc.boolean(),
    named: fc.boolean(),
    events: fc.boolean(),
  }),
  text: STRINGS,
});
type Choices = typeof choices extends fc.Arbitrary<infer T> ? T : never;

/** Any engine, version and phase, all well, with every kind of text that only looks like a memory failure. */
export const aHealthySnapshot: fc.Arbitrary<HealthySnapshot> = choices.map((chosen) => {
  const { engine, phase } = chosen;
  const version = engine.versions[chosen.versionAt % engine.versions.length] ?? '';
  const load = phase === 'idle' ? { running: 0, waiting: 0, pool: 0 } : chosen.load;
  const files = { ...logsOf(chosen, version, load), ...aroundOf(chosen, version, load) };
  return { engine: engine.name, version, phase, load, files };
});

function logsOf(chosen: Choices, version: string, load: Load): Record<string, string> {
  const { engine, phase, cut } = chosen;
  const start = engine.start(version, chosen.weightsGib);
  const whole = [...start, ...engine.ready];
  const part = start.slice(0, Math.max(1, Math.ceil(cut * start.length)));
  const work = Array.from({ length: chosen.repeats }, (_, i) => engine.work(load, `12:0${i}:00`)).flat();
  const busy = [...work, ...chosen.text.questions.map((words) => engine.prompt(words))];
  const current: Record<HealthyPhase, readonly string[]> = {
    starting: part,
    serving: [...whole, ...busy],
    idle: [
      ...whole,
      ...engine.work({ running: 1, waiting: 0, pool: 0.01 }, '11:00:00'),
      ...engine.work(load, '12:00:00'),
    ],
    restarted: cut < 0.5 ? part : [...whole, ...busy],
    'log-rotated': busy,
  };
  const previous = phase === 'restarted' ? [...whole, ...busy, ...engine.stop] : undefined;
  return {
    'current.log': noisy(current[phase], chosen),
    ...(previous === undefined ? {} : { 'previous.log': noisy(previous, chosen) }),
  };
}

const calledOf = ({ called, name }: HealthyEngine): string => called ?? name;

// Noise stands among the lines, the last line stays last.
function noisy(lines: readonly string[], { text, engine }: Choices): string {
  const all = [...lines];
  const noise = text.noise.filter(({ line }) =>
    NOTES_OF.every(([name, own]) => calledOf(engine) === name || !own.test(line)),
  );
  for (const { line, at } of noise) all.splice(Math.floor(at * Math.max(0, all.length - 1)), 0, line);
  return `${all.join('\n')}\n`;
}

function aroundOf(chosen: Choices, version: string, load: Load): Record<string, string> {
  const { engine, with: has } = chosen;
  return {
    ...(has.pod && { 'pod.json': podOf(chosen, version) }),
    ...(has.smi && { 'nvidia-smi.txt': SMI }),
    ...(has.metrics && engine.metrics !== undefined && { 'metrics.txt': engine.metrics(load) }),
    ...(has.series && { 'series.json': seriesOf(chosen) }),
    ...(has.args && { 'args.txt': `${engine.command.join(' ')}\n` }),
    ...(has.named && { 'incident.json': JSON.stringify({ engine: calledOf(engine), engine_version: version }) }),
    ...(has.events && chosen.phase === 'restarted' && { 'events.json': STOPPED }),
  };
}

const SMI =
  'index, name, memory.used [MiB], memory.total [MiB], utilization.gpu [%]\n0, NVIDIA A100-SXM4-80GB, 77824 MiB, 81920 MiB, 71 %\n';

const at = (secondsAgo: number): string => new Date(NOW - secondsAgo * 1000).toISOString();

const involvedObject = { kind: 'Pod', name: 'falcon-7f6c9d8b5-k2x4p' };
const message = 'Stopping container engine';
const STOPPED = JSON.stringify([{ reason: 'Killing', message, lastTimestamp: at(600), involvedObject }]);

function podOf({ engine, phase, ended }: Choices, version: string): string {
  const isReady = phase !== 'starting';
  const before = { terminated: { ...ended, startedAt: at(90_000), finishedAt: at(600) } };
  const again = phase === 'restarted';
  const whole = { memory: '64Gi', 'nvidia.com/gpu': '1' };
  const resources = { limits: whole, requests: whole };
  return JSON.stringify({
    metadata: { name: 'falcon-7f6c9d8b5-k2x4p', namespace: 'serving', creationTimestamp: at(again ? 90_010 : 7200) },
    spec: {
      nodeName: 'gpu-node-3',
      containers: [{ name: 'engine', image: engine.image(version), args: engine.command, resources }],
    },
    status: {
      phase: 'Running',
      conditions: [{ type: 'Ready', status: isReady ? 'True' : 'False', lastTransitionTime: at(isReady ? 300 : 7200) }],
      containerStatuses: [
        {
          name: 'engine',
          ready: isReady,
          started: true,
          restartCount: again ? 1 : 0,
          state: { running: { startedAt: at(again ? 590 : 7190) } },
          ...(again && { lastState: before }),
        },
      ],
    },
  });
}

// Page cache keeps the working set of an engine near its limit, and a load fills it from nothing.
function seriesOf({ phase, cut }: Choices): string {
  const points = Array.from({ length: 40 }, (_, i): [number, number] => {
    const share = phase === 'starting' ? Math.min(0.97, (i + 1) / 40) : 0.9 + 0.07 * cut + 0.003 * (i % 3);
    return [NOW - (40 - i) * 15_000, Math.round(share * 60 * GIB)];
  });
  const at = (gib: number) => points.map(([when]) => [when, gib * GIB]);
  const values = {
    'container.memory.working-set': points,
    'container.memory.limit': at(64),
    'gpu.framebuffer.used': at(76),
  };
  const series = Object.entries(values).map(([id, of]) => ({ id, unit: 'bytes', labels: {}, query: id, points: of }));
  return JSON.stringify({ from: NOW - 600_000, to: NOW, stepMs: 15_000, series, unknown: [] });
}
