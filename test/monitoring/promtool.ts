import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';

/** Whether Debian's `prometheus` is installed. Suites that need it are skipped without it. */
export const HAS_PROMTOOL = spawnSync('promtool', ['--version']).status === 0;
if (!HAS_PROMTOOL) console.warn('promtool not found: the Debian package `prometheus` has it; its suites are skipped');

type Labels = Readonly<Record<string, string>>;

/** Which series an expression has at a moment. A `value` that is left out is 1, as that of a firing alert. */
export type Look = {
  readonly at: string;
  readonly expr: string;
  readonly has: readonly Labels[];
  readonly value?: number;
};

export type RuleTest = {
  readonly name: string;
  /** Series in the notation of promtool, one sample a minute. */
  readonly series: Labels;
  readonly looks: readonly Look[];
  /** Alerts with all their annotations. */
  readonly alerts?: readonly { at: string; alert: string; labels: Labels; annotations: Labels }[];
};

/** What `promtool check rules` finds wrong; undefined if nothing is. */
export function checkRules(text: string): string | undefined {
  return inFolder((folder) => run(['check', 'rules', put(folder, 'rules.yaml', text)]));
}

/** What `promtool test rules` finds wrong; undefined if nothing is. */
export function testRules(rules: readonly string[], tests: readonly RuleTest[]): string | undefined {
  return inFolder((folder) => {
    const files = rules.map((text, i) => put(folder, `rules-${i}.yaml`, text));
    const content = { rule_files: files, evaluation_interval: '1m', tests: tests.map(asTest) };
    return run(['test', 'rules', put(folder, 'test.yaml', stringify(content))]);
  });
}

function asTest({ name, series, looks, alerts = [] }: RuleTest): object {
  return {
    name,
    interval: '1m',
    external_labels: { cluster: 'prod' },
    input_series: Object.entries(series).map(([one, values]) => ({ series: one, values })),
    promql_expr_test: looks.map(({ at, expr, has, value = 1 }) => ({
      expr,
      eval_time: at,
      exp_samples: has.map((labels) => ({ labels: labelsText(labels), value })),
    })),
    alert_rule_test: alerts.map(({ at, alert, labels, annotations }) => ({
      eval_time: at,
      alertname: alert,
      exp_alerts: [{ exp_labels: labels, exp_annotations: annotations }],
    })),
  };
}

function labelsText(labels: Labels): string {
  return `{${Object.entries(labels)
    .map(([name, value]) => `${name}="${value}"`)
    .join(',')}}`;
}

function run(args: readonly string[]): string | undefined {
  try {
    execFileSync('promtool', args, { encoding: 'utf8', stdio: 'pipe' });
    return undefined;
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    return `${stdout}${stderr}`;
  }
}

function put(folder: string, name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

function inFolder<T>(work: (folder: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), 'promtool-'));
  try {
    return work(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
