import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { ALERTS } from '../../src/monitoring/alerts.ts';
import { BOT_METRICS } from '../../src/monitoring/bot-metrics.ts';
import { knownMetricNames } from '../../src/monitoring/metric-expression.ts';
import { recordedSeries } from '../../src/monitoring/recorded.ts';
import { prometheusRule, rulesFile } from '../../src/monitoring/rules-file.ts';
import { namesIn } from './names-in.ts';
import { checkRules, HAS_PROMTOOL, type Look, type RuleTest, testRules } from './promtool.ts';
import {
  BOT_SCENARIOS,
  BOT_WELL,
  FULL_POOL,
  IDLE,
  SCENARIOS,
  type Scenario,
  UNCORRECTED,
  WORKLOAD_SCENARIOS,
} from './scenarios.ts';

const shipped = (name: string): string =>
  readFileSync(join(import.meta.dirname, '../../deploy/prometheus', name), 'utf8');

const minutes = (at: number): string => `${at}m`;
const labelsOf = (pod: string): string => `namespace="llm",pod="${pod}"`;
// An exporter that was scraped without honorLabels.
const dcgmLabelsOf = (pod: string): string =>
  `namespace="gpu-operator",pod="dcgm-x",exported_namespace="llm",exported_pod="${pod}"`;

function seriesOf(pod: string, series: Readonly<Record<string, string>>): Record<string, string> {
  const all = {
    'kube_pod_container_resource_limits{LABELS,container="server",resource="nvidia_com_gpu"}': '8x300',
    'kube_pod_status_phase{LABELS,phase="Running"}': '1x300',
    ...series,
  };
  return renamed(all, (name) => name.replace('LABELS', labelsOf(pod)).replace('DCGM,', `${dcgmLabelsOf(pod)},`));
}

function renamed(series: Readonly<Record<string, string>>, rename: (name: string) => string): Record<string, string> {
  return Object.fromEntries(Object.entries(series).map(([name, values]) => [rename(name), values]));
}

type Part = Pick<RuleTest, 'series' | 'looks'>;

const severityOf = (alert: string): string => ALERTS.find((one) => one.alert === alert)?.severity ?? '';

// Pods of their own, so that one run of promtool holds all scenarios.
function ofPod(scenario: Scenario): Part {
  const { alert, bad, near, more } = scenario;
  const name = alert.toLowerCase();
  return {
    series: { ...seriesOf(`${name}-bad`, bad), ...seriesOf(`${name}-near`, { ...bad, ...near }) },
    looks: looksOf(scenario, `,pod=~"${name}-.*"`, { oombot: 'triage', namespace: 'llm', pod: `${name}-bad`, ...more }),
  };
}

function ofWorkload(scenario: Scenario): Part {
  const { alert, bad, near, more } = scenario;
  const inNamespace = (namespace: string, series: Readonly<Record<string, string>>) =>
    renamed(seriesOf(namespace, series), (name) =>
      name.replaceAll('NAMESPACE', namespace).replace('namespace="llm"', `namespace="${namespace}"`),
    );
  const name = alert.toLowerCase();
  return {
    series: { ...inNamespace(`${name}-bad`, bad), ...inNamespace(`${name}-near`, { ...bad, ...near }) },
    looks: looksOf(scenario, '', { oombot: 'triage', namespace: `${name}-bad`, ...more }),
  };
}

function ofBot(scenario: Omit<Scenario, 'near'>): Part {
  return { series: scenario.bad, looks: looksOf(scenario, '', scenario.more ?? {}) };
}

function looksOf(
  { alert, minutes: [silent, fires, resolved] }: Omit<Scenario, 'near'>,
  matcher: string,
  labels: Readonly<Record<string, string>>,
): readonly Look[] {
  const expr = `ALERTS{alertname="${alert}",alertstate="firing"${matcher}}`;
  const state = { __name__: 'ALERTS', alertname: alert, alertstate: 'firing', severity: severityOf(alert) };
  return [
    { at: minutes(silent), expr, has: [] },
    { at: minutes(fires), expr, has: [{ ...state, ...labels }] },
    { at: minutes(resolved), expr, has: [] },
  ];
}

function inOne(name: string, parts: readonly Part[]): RuleTest {
  return {
    name,
    series: Object.assign({}, ...parts.map(({ series }) => series)),
    looks: parts.flatMap(({ looks }) => looks),
  };
}

describe('the Prometheus rules', () => {
  it('are those that the source makes', () => {
    expect(shipped('rules.yaml')).toBe(rulesFile());
    expect(shipped('prometheus-rule.yaml')).toBe(prometheusRule());
  });

  it('are the same in both files', () => {
    const plain: { groups: object[] } = parse(shipped('rules.yaml'));
    const object: { kind: string; spec: { groups: object[] } } = parse(shipped('prometheus-rule.yaml'));

    expect(object.kind).toBe('PrometheusRule');
    expect(object.spec.groups).toEqual(plain.groups);
  });

  it('read only series that the playbooks name, that they compute themselves, or that the bot shows', () => {
    const known = new Set([
      ...knownMetricNames(),
      ...recordedSeries().map(({ record }) => record),
      ...Object.keys(BOT_METRICS),
    ]);
    const used = [...recordedSeries(), ...ALERTS].flatMap(({ expr }) => namesIn(expr));

    expect([...new Set(used)].filter((name) => !known.has(name))).toEqual([]);
    expect(used).toContain('vllm:gpu_cache_usage_perc');
    expect(used).toContain('sglang_token_usage');
  });

  it('say what to type, and link to a panel', () => {
    const { groups }: { groups: { rules: { alert?: string; annotations?: Record<string, string> }[] }[] } = parse(
      rulesFile(),
    );
    const alerts = groups.flatMap(({ rules }) => rules).filter(({ alert }) => alert !== undefined);

    expect(alerts).toHaveLength(ALERTS.length);
    for (const { alert, annotations = {} } of alerts) {
      expect(annotations.command, alert).toMatch(/^\/oom triage |^npx oom /);
      expect(annotations.dashboard_url, alert).toMatch(/\/d\/oombot\?.*viewPanel=\d+$/);
      expect(annotations.summary, alert).not.toMatch(/\{\{\w+\}\}/);
    }
  });
});

describe.skipIf(!HAS_PROMTOOL)('the alerts, run by promtool', () => {
  it('are rules that Prometheus takes', () => {
    expect(checkRules(rulesFile())).toBeUndefined();
  });

  it('have a scenario each', () => {
    const tested = [...SCENARIOS, ...WORKLOAD_SCENARIOS, ...BOT_SCENARIOS];

    expect(tested.map(({ alert }) => alert)).toEqual(ALERTS.map(({ alert }) => alert));
  });

  it('are silent until their threshold, fire on it and resolve by themselves', () => {
    const parts = [...SCENARIOS.map(ofPod), ...WORKLOAD_SCENARIOS.map(ofWorkload), ...BOT_SCENARIOS.map(ofBot)];

    expect(testRules([rulesFile()], [inOne('scenarios', parts)])).toBeUndefined();
  });

  it('are silent on a full pool and an idle service, where the forms of the guides fire', () => {
    const series = { ...seriesOf('full-0', FULL_POOL), ...seriesOf('idle-0', IDLE), ...BOT_WELL };
    const guides = ['GuideGPUMemory', 'GuideKVCache', 'GuideNoSuccess'];
    const looks: Look[] = [
      { at: '90m', expr: 'ALERTS{alertname!~"Guide.*"}', has: [] },
      {
        at: '90m',
        expr: 'group by (alertname) (ALERTS{alertstate="firing"})',
        has: guides.map((alertname) => ({ alertname })),
      },
      // What the silence above is about: all of it was read.
      {
        at: '90m',
        expr: 'count(oombot:gpu_memory_free:bytes) + count(oombot:kv_cache_used:ratio)',
        has: [{}],
        value: 4,
      },
    ];

    expect(testRules([rulesFile(), UNCORRECTED], [{ name: 'well', series, looks }])).toBeUndefined();
  });

  it('tell people what to type, with the cluster that Prometheus gives itself', () => {
    const series = seriesOf('vllm-0', SCENARIOS[0]?.bad ?? {});
    const { summary, why } = ALERTS[0] ?? {};
    const annotations = {
      summary: (summary ?? '').replace('{{pod}}', 'llm/vllm-0').replace('{{share}}', '91%'),
      description: why ?? '',
      command: '/oom triage prod/llm/vllm-0',
      dashboard_url: 'https://grafana.example.com/d/oombot?var-namespace=llm&var-workload=vllm-0&viewPanel=3',
    };
    const labels = { oombot: 'triage', severity: 'warning', namespace: 'llm', pod: 'vllm-0' };
    const alerts = [{ at: '15m', alert: 'LLMKVCacheBusy', labels, annotations }];

    expect(testRules([rulesFile()], [{ name: 'words', series, looks: [], alerts }])).toBeUndefined();
  });

  it.each([
    ['vllm 0.8, with the old name', 'vllm:gpu_cache_usage_perc{LABELS,model_name="m"}', '0.4x9', 0.4],
    ['vllm behind a relabeling without colons', 'vllm_kv_cache_usage_perc{LABELS}', '0.4x9', 0.4],
    ['sglang', 'sglang:token_usage{LABELS}', '0.4x9', 0.4],
    ['tensorrt-llm', 'trtllm_kv_cache_utilization{LABELS}', '0.4x9', 0.4],
  ])('read the KV cache of %s', (_, name, values, value) => {
    const looks = [{ at: '5m', expr: 'oombot:kv_cache_used:ratio', has: [], value }];
    const has = [{ __name__: 'oombot:kv_cache_used:ratio', namespace: 'llm', pod: 'vllm-0' }];

    expect(
      testRules(
        [rulesFile()],
        [
          {
            name: 'kv',
            series: seriesOf('vllm-0', { [name]: values }),
            looks: looks.map((look) => ({ ...look, has })),
          },
        ],
      ),
    ).toBeUndefined();
  });
});
