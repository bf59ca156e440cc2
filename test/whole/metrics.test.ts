import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { BOT_METRICS } from '../../src/monitoring/bot-metrics.ts';
import { cudaOomWorld, SCENARIO_POD } from '../../src/standins/scenarios/scenarios.ts';
import { HAS_PROMTOOL } from '../monitoring/promtool.ts';
import { setStage, startOn } from './stage.ts';

const closing: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function begin(mode: 'http' | 'socket') {
  const stage = await setStage(cudaOomWorld(Date.now()));
  closing.push(() => stage.close());
  const { service, people } = await startOn(stage, mode);
  closing.push(() => service.stop());
  const get = (path: string) => fetch(`http://127.0.0.1:${service.port}${path}`);
  const figure = async (series: string) => {
    const line = (await (await get('/metrics')).text()).split('\n').find((one) => one.startsWith(`${series} `));
    return line === undefined ? undefined : Number(line.slice(series.length + 1));
  };
  return { stage, people, get, figure };
}

describe.each(['http', 'socket'] as const)('what the bot shows of itself by %s', (mode) => {
  it('counts triages, their calls and their time', async () => {
    const { people, figure } = await begin(mode);

    await people.command({ text: `triage ${SCENARIO_POD.namespace}/${SCENARIO_POD.pod}`, channel: 'C_LLM' });
    await people.command({ text: 'triage llm/no-such-pod', channel: 'C_LLM' });
    await expect.poll(() => figure('oombot_triage_duration_seconds_count')).toBe(2);

    expect(await figure('oombot_triages_total{outcome="done",started_by="person"}')).toBe(1);
    expect(await figure('oombot_triages_total{outcome="not-found",started_by="person"}')).toBe(1);
    expect(await figure('oombot_api_calls_total{kind="log"}')).toBeGreaterThan(0);
    expect(await figure('oombot_incidents_open')).toBe(1);
    expect(await figure('oombot_messages_undelivered')).toBe(0);
    expect(await figure('oombot_runs_open{state="running"}')).toBe(0);
    expect(await figure('oombot_ready')).toBe(1);
  });
});

describe('what the bot shows of itself', () => {
  it('has every series that rules and dashboard name, in a form that Prometheus takes', async () => {
    const { get } = await begin('http');

    const page = await get('/metrics');
    const text = await page.text();

    expect(page.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(Object.keys(BOT_METRICS).filter((name) => !text.includes(`# TYPE ${name} `))).toEqual([]);
    if (HAS_PROMTOOL) execFileSync('promtool', ['check', 'metrics'], { input: text.replace(/^.*nodejs_.*$/gm, '') });
  });

  it('counts what Slack refuses, limits and makes it try again', async () => {
    const { stage, people, figure } = await begin('http');
    stage.slack.faults.next('response_url', { kind: 'error', error: 'not_allowed' }, 9);
    stage.slack.faults.next('chat.postEphemeral', { kind: 'rate-limited', retryAfterSeconds: 0 });
    stage.slack.faults.next('chat.postEphemeral', { kind: 'error', error: 'channel_not_found' }, 9);

    await people.command({ text: 'triage llm/no-such-pod', channel: 'C_LLM' });

    await expect.poll(() => figure('oombot_slack_messages_refused_total')).toBeGreaterThan(0);
    expect(await figure('oombot_slack_rate_limited_total')).toBe(1);
    expect(await figure('oombot_slack_retries_total')).toBe(1);
  });

  it('is not ready without its store, and says so', async () => {
    const { stage, get, figure } = await begin('http');
    expect((await get('/readyz')).status).toBe(200);

    rmSync(join(stage.folder, 'oom.db'));

    expect((await get('/readyz')).status).toBe(503);
    expect((await get('/healthz')).status).toBe(200);
    expect(await figure('oombot_ready')).toBe(0);
  });
});
