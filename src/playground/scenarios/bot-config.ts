import type { Scenario } from './scenario.ts';

/** The first on-call asks and stops, the approvers approve; nobody else acts. */
export const DEFAULT_RIGHTS: readonly string[] = [
  'act:',
  '  - { users: [U_ONCALL], verbs: [plan, abort, pause], scope: { namespaces: [llm] } }',
  '  - { users: [U_APPROVER], verbs: [plan, approve, rollback, abort, resume], scope: { namespaces: [llm] } }',
];

type Urls = { readonly kubeconfig: string; readonly prometheus: string };

// Targets of a team: the traffic of an incident is not that of the hour before.
const VERIFY = 'verify: { targets: [{ ttftP99Ms: 30000, latencyP99Ms: 180000 }], gpuFreeShare: 0.005 }';
const ACTING = ['verifyMinutes: 5', 'readyMinutes: 10', 'maxMemory: 256Gi', VERIFY];

/** Cluster, Prometheus and rights for the bot. */
export function botConfigOf(
  { rights = DEFAULT_RIGHTS, acting = [] }: Scenario,
  { kubeconfig, prometheus }: Urls,
): readonly string[] {
  return [
    'clusters:',
    '  - name: demo',
    `    kubeconfig: ${JSON.stringify(kubeconfig)}`,
    '    namespaces: [llm]',
    '    acting: {}',
    `    prometheus: { url: ${JSON.stringify(prometheus)} }`,
    ...rights,
    `acting: { ${[...ACTING, ...acting].join(', ')} }`,
  ];
}

export function kubeconfigFor(server: string): string {
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'oom-demo', cluster: { server } }],
    users: [{ name: 'oom-demo', user: { token: 'demo' } }],
    contexts: [{ name: 'oom-demo', context: { cluster: 'oom-demo', user: 'oom-demo', namespace: 'llm' } }],
    'current-context': 'oom-demo',
  };
  return `${JSON.stringify(config, undefined, 2)}\n`;
}
