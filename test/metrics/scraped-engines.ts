import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Virtual time between two scrapes, and how many there are: each page bears the time that it is of. */
export const STEP_MS = 30_000;
export const STEPS = 100;

/** One target: what it serves at a step since its process began; undefined where nothing answers then. */
export type Engine = {
  readonly path: string;
  readonly labels: Readonly<Record<string, string>>;
  page(step: number): readonly Line[] | undefined;
};

export type Line = {
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
};

/** Requests by step, and how they fall into the buckets of a histogram: `[bound, how many of ten]`. */
export function histogram(
  name: string,
  { requests, shares, labels = {} }: { requests: number; shares: readonly Share[]; labels?: Line['labels'] },
): readonly Line[] {
  let below = 0;
  const buckets = shares.map(([le, ofTen]) => {
    below += ofTen;
    return { name: `${name}_bucket`, labels: { ...labels, le }, value: (requests * below) / 10 };
  });
  return [
    ...buckets,
    { name: `${name}_bucket`, labels: { ...labels, le: '+Inf' }, value: requests },
    { name: `${name}_count`, labels, value: requests },
    { name: `${name}_sum`, labels, value: requests * 0.5 },
  ];
}
export type Share = readonly [le: string, ofTen: number];

/** Eight of ten at once, one within a second, one within five: a P99 of 4.6 s. */
export const TIMES: readonly Share[] = [
  ['0.1', 8],
  ['1.0', 1],
  ['5.0', 1],
];
/** Eight of ten prompts are short. */
export const LENGTHS: readonly Share[] = [
  ['500.0', 2],
  ['1000.0', 6],
  ['5000.0', 2],
];

/** vLLM V1 after `steps` steps at `rate` requests each. */
export function vllmPage(steps: number, rate = 10): readonly Line[] {
  const labels = { model_name: 'llama', engine: '0' };
  const requests = steps * rate;
  return [
    { name: 'vllm:num_requests_running', labels, value: 3 },
    { name: 'vllm:num_requests_waiting', labels, value: 1 },
    { name: 'vllm:kv_cache_usage_perc', labels, value: 0.42 },
    { name: 'vllm:num_preemptions_total', labels, value: steps },
    { name: 'vllm:num_preemptions_created', labels, value: 1.7e9 },
    ...histogram('vllm:time_to_first_token_seconds', { requests, shares: TIMES, labels }),
    ...histogram('vllm:e2e_request_latency_seconds', { requests, shares: TIMES, labels }),
    ...histogram('vllm:request_queue_time_seconds', { requests, shares: TIMES, labels }),
    ...histogram('vllm:request_prompt_tokens', { requests, shares: LENGTHS, labels }),
    ...histogram('vllm:inter_token_latency_seconds', { requests: requests * 100, shares: TIMES, labels }),
  ];
}

/** SGLang, which does not count prompts by length. */
export function sglangPage(steps: number): readonly Line[] {
  const labels = { model_name: 'qwen', engine_type: 'unified', tp_rank: '0', pp_rank: '0' };
  const requests = steps * 10;
  return [
    { name: 'sglang:num_running_reqs', labels, value: 5 },
    { name: 'sglang:num_queue_reqs', labels, value: 2 },
    { name: 'sglang:token_usage', labels, value: 0.6 },
    { name: 'sglang:num_retracted_requests_total', labels, value: 0 },
    ...histogram('sglang:time_to_first_token_seconds', { requests, shares: TIMES, labels }),
    ...histogram('sglang:e2e_request_latency_seconds', { requests, shares: TIMES, labels }),
    ...histogram('sglang:queue_time_seconds', { requests, shares: TIMES, labels }),
  ];
}

/** TGI, which counts no first token and no pool. */
export function tgiPage(steps: number): readonly Line[] {
  const requests = steps * 10;
  return [
    { name: 'tgi_batch_current_size', value: 4 },
    { name: 'tgi_queue_size', value: 0 },
    ...histogram('tgi_request_duration', { requests, shares: TIMES }),
    ...histogram('tgi_request_queue_duration', { requests, shares: TIMES }),
    ...histogram('tgi_request_input_length', { requests, shares: LENGTHS }),
  ];
}

export type Engines = { readonly config: string; readonly done: () => boolean; close(): Promise<void> };

/** Serves all of them and the configuration that scrapes them; `end` is the time of the last step, epoch ms. */
export async function serveEngines(engines: readonly Engine[], end: number): Promise<Engines> {
  const steps = new Map(engines.map(({ path }) => [path, 0]));
  const server = createServer((request, response) => {
    const path = (request.url ?? '').slice(1);
    const engine = engines.find((one) => one.path === path);
    const step = steps.get(path) ?? 0;
    if (engine === undefined) return void response.writeHead(404).end();
    response.on('finish', () => steps.set(path, Math.min(STEPS, step + 1)));
    answer(response, engine.page(step), end - (STEPS - step) * STEP_MS);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    config: configOf(engines, port),
    done: () => [...steps.values()].every((step) => step === STEPS),
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

function answer(response: ServerResponse, page: readonly Line[] | undefined, at: number): void {
  if (page === undefined) return void response.writeHead(503).end();
  response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' });
  const lines = page.map(({ name, labels = {}, value }) => {
    const inner = Object.entries(labels).map(([label, text]) => `${label}=${JSON.stringify(text)}`);
    return `${name}{${inner.join(',')}} ${value} ${at}`;
  });
  response.end(`${lines.join('\n')}\n`);
}

function configOf(engines: readonly Engine[], port: number): string {
  const jobs = engines.map(({ path, labels }) => ({
    job_name: path,
    metrics_path: `/${path}`,
    static_configs: [{ targets: [`127.0.0.1:${port}`], labels }],
  }));
  // JSON is YAML.
  return JSON.stringify({ global: { scrape_interval: '100ms', scrape_timeout: '100ms' }, scrape_configs: jobs });
}
