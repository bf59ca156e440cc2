import { describe, expect, it } from 'vitest';
import { judgeDrift } from '../../../src/actions/ledger/judge-drift.ts';
import type { WrittenValue } from '../../../src/actions/ledger/written-values.ts';
import { examplePlan } from '../../model/plan-examples.ts';

const { object } = examplePlan.target;
const PATH = '/spec/template/spec/containers/0/args';
const [OLD, OURS, OTHER] = [
  ['--max-model-len', '8192'],
  ['--max-model-len', '4096'],
  ['--max-model-len', '2048'],
];
const ARGS: WrittenValue = { object, subresource: 'none', path: PATH, from: OLD, to: OURS };
const COUNT: WrittenValue = { object, subresource: 'none', path: '/spec/replicas', from: 1, to: 2 };
const SINCE = Date.UTC(2026, 0, 15, 2);
const APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

const spec = (args: unknown, replicas = 2) => ({
  replicas,
  template: { spec: { containers: [{ name: 'vllm', args }] } },
});
const owning = (manager: string, operation: string, time = '2026-01-15T05:00:00Z', field: object = ARGS_FIELD) => ({
  ...{ manager, operation, time },
  fieldsV1: { 'f:spec': field },
});
const ARGS_FIELD = { 'f:template': { 'f:spec': { 'f:containers': { 'k:{"name":"vllm"}': { 'f:args': {} } } } } };
const BY_US = owning('oombot', 'Update', '2026-01-15T03:00:00Z');

const live = (args: unknown, { managed = [BY_US], replicas = 2, annotations = {} as object } = {}) =>
  new Map([
    [object.uid, { metadata: { uid: object.uid, annotations, managedFields: managed }, spec: spec(args, replicas) }],
  ]);

describe('the drift of a change', () => {
  const TEMPORARY = { kind: 'temporary' };
  const applied = (args: unknown) => live(OURS, { annotations: { [APPLIED]: JSON.stringify({ spec: spec(args) }) } });

  it.each([
    ['our value, owned by us', live(OURS), TEMPORARY],
    ['our value, edited by hand', live(OURS, { managed: [owning('kubectl-edit', 'Update')] }), TEMPORARY],
    ['our value, held by Helm', live(OURS, { managed: [owning('helm', 'Update')] }), { kind: 'permanent', by: 'helm' }],
    [
      'our value, applied by a server-side apply of any manager',
      live(OURS, { managed: [BY_US, owning('team-x', 'Apply')] }),
      { kind: 'permanent', by: 'team-x' },
    ],
    ['our value, and kubectl apply has it', applied(OURS), { kind: 'permanent', by: 'kubectl apply' }],
    ['our value, and kubectl apply has the old one', applied(OLD), TEMPORARY],
    [
      'our value, owned as a whole by the Helm of before',
      live(OURS, { managed: [BY_US, owning('helm', 'Update', '2026-01-15T01:00:00Z')] }),
      TEMPORARY,
    ],
    ['the old value', live(OLD, { managed: [owning('helm', 'Update')] }), { kind: 'reverted', by: 'helm' }],
    ['the old value, by nobody known', live(OLD, { managed: [] }), { kind: 'reverted', by: null }],
    [
      'another value',
      live(OTHER, { managed: [owning('kubectl-edit', 'Update')] }),
      { kind: 'changed', by: 'kubectl-edit', value: { path: PATH, expected: OURS, found: OTHER } },
    ],
    ['an object that was not read', new Map(), TEMPORARY],
  ])('%s', (_, objects, expected) => {
    expect(judgeDrift([ARGS], objects, SINCE)).toEqual(expected);
  });

  it('is permanent only where all values are, and reverted only where all are', () => {
    const argsByHelm = [owning('helm', 'Update'), owning('oombot', 'Update', undefined, { 'f:replicas': {} })];

    expect(judgeDrift([ARGS, COUNT], live(OURS, { managed: argsByHelm }), SINCE)).toEqual({ kind: 'temporary' });
    expect(judgeDrift([ARGS, { ...COUNT, to: 0 }], live(OLD), SINCE)).toMatchObject({ kind: 'changed' });
  });

  it('takes a count that an autoscaler moves above zero for ours', () => {
    expect(judgeDrift([COUNT], live(OURS, { replicas: 5 }), SINCE)).toEqual({ kind: 'temporary' });
    expect(judgeDrift([COUNT], live(OURS, { replicas: 0 }), SINCE)).toMatchObject({ kind: 'changed' });
  });
});
