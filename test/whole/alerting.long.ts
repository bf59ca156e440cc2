import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { rulesFile } from '../../src/monitoring/rules-file.ts';
import { type OpenScenario, openScenario } from '../../src/playground/scenarios/open-scenario.ts';
import { repliesTo, textsOf } from '../../src/standins/slack/state.ts';
import { createSystemClock } from '../../src/system/clock.ts';
import { deadPort } from '../fakes/http-server.ts';
import { runOom } from '../fakes/terminal.ts';
import {
  missingPrograms,
  startAlertmanager,
  startPrometheus,
  startPrometheusWith,
  until,
} from '../metrics/real-server.ts';
import { setScenarioStage, startOn } from './stage.ts';

const PROGRAMS = ['prometheus', 'promtool', 'prometheus-alertmanager'];
const TOKEN = 'webhook-token';
const SERVICE = 'vllm-server';
const MINUTE_MS = 60_000;
const CALM_MINUTES = 12;

const closing: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

describe.skipIf(missingPrograms(PROGRAMS).length > 0)('with a real Prometheus and a real Alertmanager', () => {
  it('an engine that runs out of RAM is triaged by its alert, and the thread says that the alert is resolved', async () => {
    const { open, stage, service, prometheus } = await begin();
    await until('the engine is ready and scraped', async () => (await ask(prometheus, 'oombot:requests_running')) > 0);
    await until('the bot is scraped', async () => (await ask(prometheus, 'oombot_ready')) === 1);
    // It was OOMKilled twelve minutes ago: that alone is no alert.
    expect(await ask(prometheus, 'oombot:container_oom_killed')).toBe(1);
    expect(await ask(prometheus, OOM_ALERT)).toBe(0);
    expect(stage.slack.state.messages).toEqual([]);

    const usual = open.traffic.current(SERVICE);
    open.traffic.set(SERVICE, { ...usual, requestsPerSecond: 20 });
    open.traffic.scale(1);

    const card = await stage.slack.until(
      'the finding',
      () => stage.slack.state.messages.find((one) => one.threadTs === undefined && /OOMKilled/.test(one.text)),
      60_000,
    );
    open.traffic.scale(0.1);
    expect(card.channel).toBe('C_LLM');
    expect(textsOf(card)).toContain(open.state().services[0]?.pods[0]?.name);
    // Out of the real Prometheus: the stand-in was asked nothing.
    expect(textsOf(card)).toMatch(/RAM [\d.]+ of 20 GiB \(\d+%\) at the last sample/);
    expect(stage.prometheus.requests.filter(({ api }) => api !== '')).toEqual([]);

    const note = await stage.slack.until(
      'the note',
      () => repliesTo(stage.slack.state, card).find((one) => /resolved/.test(textsOf(one))),
      60_000,
    );
    expect(textsOf(note)).toMatch(/Alert LLMContainerOOMKilled is resolved[\s\S]*No alert of this incident is firing/);
    expect(await ask(prometheus, OOM_ALERT)).toBe(0);
    const counted = async (result: string) => ask(prometheus, `oombot_alerts_total{result="${result}"}`);
    await until('both are counted', async () => (await counted('triaged')) + (await counted('resolved')) === 2);
    expect(stage.slack.state.messages.filter(({ threadTs }) => threadTs === undefined)).toHaveLength(1);
    expect(service.alertPort).toBeGreaterThan(0);
  });

  it.each(['ram-payload', 'vllm-burst'])('a triage of %s finds in it what it finds in the stand-in', async (name) => {
    const open = await openScenario(name, { clock: createSystemClock(), speed: 0 });
    closing.push(open.close);
    const prometheus = await startPrometheusWith(open.metrics.behaviour.series);
    closing.push(prometheus.close);
    const triage = async (url: string): Promise<Record<string, unknown>> => {
      const stage = await setScenarioStage(open, linesWith(open, url));
      const pod = open.state().services[0]?.pods[0]?.name;
      const { out, err } = await runOom(['--config', stage.file, 'triage', `llm/${pod}`, '--json', '--no-store']);
      if (out === '') throw new Error(err);
      // Each triage has an id of its own, and each server an order of lines and labels.
      return JSON.parse(out, (key, value) => (key === 'id' || key === 'from' ? undefined : value));
    };

    const [real, double] = [await triage(prometheus.url), await triage(open.prometheus)];

    expect(JSON.stringify(double)).toMatch(/P95 prompt length before: [\d,]+ tokens/);
    expect(real).toEqual(double);
  });
});

/** The bot on a service that has been healthy for a while, with everything that leads from its metrics to the bot. */
async function begin() {
  const system = createSystemClock();
  // The calm minutes pass at once, and then its time is that of everyone.
  const clock = { ...system, now: () => system.now() - CALM_MINUTES * MINUTE_MS };
  const open = await openScenario('ram-payload', { clock, speed: 1 });
  closing.push(open.close);
  open.traffic.scale(0.1);
  open.advance(CALM_MINUTES * MINUTE_MS);
  const alertmanagerPort = await deadPort();
  const folder = join(open.kubeconfig, '..');
  writeFileSync(join(folder, 'rules.yaml'), shortRules());
  const prometheus = await startPrometheus(prometheusConfig(open, { folder, alertmanagerPort }));
  closing.push(prometheus.close);
  const extra = [`alerts: { port: 0, bearerToken: ${TOKEN} }`, 'channels: { C_LLM: { namespaces: [llm] } }'];
  const stage = await setScenarioStage(open, [...linesWith(open, prometheus.url), ...extra]);
  closing.push(() => stage.slack.close());
  const { service } = await startOn(stage, 'http', open.clock);
  closing.push(() => service.stop());
  writeFileSync(join(folder, 'bot.json'), JSON.stringify([{ targets: [`127.0.0.1:${service.port}`] }]));
  const alertmanager = await startAlertmanager(alertmanagerConfig(folder, service.alertPort), alertmanagerPort);
  closing.push(alertmanager.close);
  return { open, stage, service, prometheus };
}

function linesWith(open: OpenScenario, url: string): readonly string[] {
  return open.botConfig.map((line) => line.replace(open.prometheus, url));
}

const OOM_ALERT = 'ALERTS{alertname="LLMContainerOOMKilled",alertstate="firing"}';

/** The shipped rules, in which the alert of an OOMKill ends after 20 s and not after ten minutes; nothing else differs. */
function shortRules(): string {
  const rules = parse(rulesFile()) as { groups: { rules: { alert?: string; expr: string }[] }[] };
  const rule = rules.groups.flatMap((group) => group.rules).find(({ alert }) => alert === 'LLMContainerOOMKilled');
  const expr = rule?.expr.replace('[10m]', '[20s]').replace('< 600', '< 20') ?? '';
  expect(expr).toMatch(/\[20s\].*< 20\)$/);
  if (rule !== undefined) rule.expr = expr;
  return stringify(rules);
}

type Places = { readonly folder: string; readonly alertmanagerPort: number };

function prometheusConfig(open: OpenScenario, { folder, alertmanagerPort }: Places): string {
  return stringify({
    global: { scrape_interval: '1s', evaluation_interval: '1s', external_labels: { cluster: 'demo' } },
    rule_files: [join(folder, 'rules.yaml')],
    alerting: { alertmanagers: [{ static_configs: [{ targets: [`127.0.0.1:${alertmanagerPort}`] }] }] },
    scrape_configs: [
      { job_name: 'demo', honor_labels: true, static_configs: [{ targets: [new URL(open.prometheus).host] }] },
      { job_name: 'oombot', file_sd_configs: [{ files: [join(folder, 'bot.json')], refresh_interval: '1s' }] },
    ],
  });
}

/** What docs/monitoring.md says, with the address and the token of this bot, and without its waits. */
function alertmanagerConfig(folder: string, port: number | undefined): string {
  const page = readFileSync(join(import.meta.dirname, '../../docs/monitoring.md'), 'utf8');
  const block = /```yaml\n(# alertmanager\.yaml\n[\s\S]*?)```/.exec(page)?.[1] ?? '';
  const secret = join(folder, 'token');
  writeFileSync(secret, TOKEN);
  const told = parse(
    block
      .replace('http://oombot.oombot:9095', `http://127.0.0.1:${port}`)
      .replace('/etc/alertmanager/oombot-token', secret),
  );
  return stringify({
    ...told,
    route: { receiver: 'nobody', group_wait: '0s', group_interval: '1s', ...told.route },
    receivers: [{ name: 'nobody' }, ...told.receivers],
  });
}

/** The sum of what an expression has now; 0 where it has nothing. */
async function ask({ url }: { readonly url: string }, query: string): Promise<number> {
  const response = await fetch(`${url}/api/v1/query?query=${encodeURIComponent(`sum(${query})`)}`);
  const { data } = (await response.json()) as { data: { result: { value: [number, string] }[] } };
  return Number(data.result[0]?.value[1] ?? 0);
}
