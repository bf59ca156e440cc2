import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { z } from 'zod';
import { ALERTS } from '../../src/monitoring/alerts.ts';
import { BOT_METRICS } from '../../src/monitoring/bot-metrics.ts';
import { dashboard } from '../../src/monitoring/dashboard.ts';
import { dashboardLink } from '../../src/monitoring/dashboard-link.ts';
import { PANELS, panelNumber } from '../../src/monitoring/panels.ts';
import { recordedSeries } from '../../src/monitoring/recorded.ts';
import { namesIn } from './names-in.ts';
import { checkRules, HAS_PROMTOOL } from './promtool.ts';

const Source = z.object({ type: z.literal('prometheus'), uid: z.literal('$datasource') });
const Board = z.object({
  uid: z.string().max(40),
  schemaVersion: z.int().min(36),
  panels: z.array(
    z.object({
      id: z.int().min(1),
      type: z.literal('timeseries'),
      title: z.string().min(1),
      datasource: Source,
      gridPos: z.object({ x: z.int().max(23), y: z.int(), w: z.int().max(24), h: z.int() }),
      targets: z
        .array(z.object({ refId: z.string(), datasource: Source, expr: z.string(), legendFormat: z.string() }))
        .min(1),
    }),
  ),
  templating: z.object({
    list: z.array(
      z.object({ type: z.string(), name: z.string(), query: z.union([z.string(), z.object({ query: z.string() })]) }),
    ),
  }),
  annotations: z.object({ list: z.array(z.object({ name: z.string(), datasource: Source, expr: z.string() })) }),
});

const shipped = Board.parse(
  JSON.parse(readFileSync(join(import.meta.dirname, '../../deploy/prometheus/dashboard.json'), 'utf8')),
);
const queries = [...shipped.panels.flatMap(({ targets }) => targets), ...shipped.annotations.list].map(
  ({ expr }) => expr,
);

// What Grafana puts in for several values, and for "All".
const SEVERAL: Readonly<Record<string, string>> = {
  $cluster: '(prod|eu-1)',
  $namespace: '(llm|chat)',
  '${workload:regex}': 'vllm-server|vllm-chat',
};
const ALL: Readonly<Record<string, string>> = { $cluster: '.*', $namespace: '.*', '${workload:regex}': '.*' };

function substituted(expr: string, values: Readonly<Record<string, string>>): string {
  return Object.entries(values).reduce((text, [name, value]) => text.replaceAll(name, value), expr);
}

describe('the dashboard', () => {
  it('is the one that the source makes', () => {
    expect(Board.parse(dashboard())).toEqual(shipped);
  });

  it('has variables for cluster, namespace and workload, and uses no other', () => {
    expect(shipped.templating.list.map(({ name }) => name)).toEqual(['datasource', 'cluster', 'namespace', 'workload']);
    expect(queries.map((expr) => substituted(expr, SEVERAL)).filter((expr) => expr.includes('$'))).toEqual([]);
  });

  it('shows panels with numbers of their own that do not overlap', () => {
    const places = shipped.panels.map(({ gridPos: { x, y } }) => `${x} ${y}`);

    expect(new Set(places).size).toBe(PANELS.length);
    expect(shipped.panels.map(({ id }) => id)).toEqual(PANELS.map(({ id }) => panelNumber(id)));
  });

  it('has the panel that each alert links to', () => {
    const titles = ALERTS.map(({ panel }) => shipped.panels.find(({ id }) => id === panelNumber(panel))?.title);

    expect(titles).not.toContain(undefined);
    expect(dashboardLink('https://grafana.my.org/', { namespace: 'llm' }, 'kv-cache')).toBe(
      'https://grafana.my.org/d/oombot?var-namespace=llm&viewPanel=3',
    );
  });

  it('reads only series that the rules compute or the bot shows', () => {
    const known = new Set([...recordedSeries().map(({ record }) => record), ...Object.keys(BOT_METRICS)]);
    const used = queries.flatMap(namesIn);

    expect([...new Set(used)].filter((name) => !known.has(name))).toEqual([]);
    expect(used).toContain('oombot:kv_cache_used:ratio');
  });

  it.skipIf(!HAS_PROMTOOL).each([
    ['several values', SEVERAL],
    ['all of them', ALL],
  ])('asks what Prometheus takes, with %s chosen', (_, values) => {
    const rules = queries.map((expr, i) => ({ record: `panel:query_${i}`, expr: substituted(expr, values) }));

    expect(checkRules(stringify({ groups: [{ name: 'panels', rules }] }))).toBeUndefined();
  });
});
