import { type PanelId, panelNumber } from './panels.ts';

export const DASHBOARD_UID = 'oombot';

/** The pods to show, as the dashboard's variables name them; values are those of a URL. */
export type Shown = { readonly cluster?: string; readonly namespace?: string; readonly workload?: string };

/** Address of the dashboard, or of one of its panels alone. `base` is the Grafana URL with its path prefix. */
export function dashboardLink(base: string, shown: Shown, panel?: PanelId): string {
  const variables = Object.entries(shown).map(([name, value]) => `var-${name}=${value}`);
  const view = panel === undefined ? [] : [`viewPanel=${panelNumber(panel)}`];
  return `${base.replace(/\/+$/, '')}/d/${DASHBOARD_UID}?${[...variables, ...view].join('&')}`;
}
