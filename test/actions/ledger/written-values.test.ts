import { describe, expect, it } from 'vitest';
import { type Change, diffJson, joinChanges, setField } from '../../../src/actions/change.ts';
import { changedValues } from '../../../src/actions/ledger/changed-values.ts';
import { permanentPatch } from '../../../src/actions/ledger/permanent-patch.ts';
import { writtenValues } from '../../../src/actions/ledger/written-values.ts';
import type { Plan, Run, WriteStep } from '../../../src/model/plan.ts';
import { examplePlan } from '../../model/plan-examples.ts';

const { object } = examplePlan.target;
const ARGS = '/spec/template/spec/containers/0/args';
const LIVE = {
  metadata: { uid: object.uid },
  spec: {
    replicas: 2,
    template: {
      spec: { containers: [{ name: 'vllm', args: ['--max-model-len', '8192'], env: [{ name: 'A', value: '1' }] }] },
    },
  },
};

function steps(...changes: Change[]): Plan['steps'] {
  const write = { kind: 'write', says: 'x', object, subresource: 'none', command: 'x', inverseCommand: 'x' } as const;
  return changes.map(
    ({ patch, inverse }, i): WriteStep => ({ ...write, n: i + 1, patch: [...patch], inverse: [...inverse] }),
  );
}

const records = (...phases: Run['steps'][number]['phase'][]): Pick<Run, 'steps'> => ({
  steps: phases.map((phase, i) => ({ n: i + 1, phase, attempts: 1, startedAt: 0, endedAt: 1, message: '' })),
});
const inLive = (path: string, to: unknown) => setField(LIVE, path, to);
const NEW_ARGS = ['--max-model-len', '4096'];
const down = inLive('/spec/replicas', 0);
const up: Change = { patch: down.inverse, inverse: down.patch };

describe('what a run has changed in the end', () => {
  it('leaves out a count that came back, and what was undone or never done', () => {
    const planned = { steps: steps(down, inLive(ARGS, NEW_ARGS), up) };

    const paths = (...phases: Run['steps'][number]['phase'][]) =>
      writtenValues(planned, records(...phases)).map(({ path, from, to }) => [path, from, to]);

    expect(paths('done', 'done', 'done')).toEqual([[ARGS, ['--max-model-len', '8192'], NEW_ARGS]]);
    expect(paths('done', 'undone', 'not-run')).toEqual([['/spec/replicas', 2, 0]]);
    expect(paths('undone', 'undone', 'undone')).toEqual([]);
  });

  it('counts a failed write where the object holds its value, and a restart never', () => {
    const restart = { patch: down.patch, inverse: [{ op: 'test' as const, path: '/spec/replicas', value: 0 }] };
    const held = { ...LIVE, spec: { ...LIVE.spec, replicas: 0 } };

    expect(writtenValues({ steps: steps(down) }, records('failed'), held)).toHaveLength(1);
    expect(writtenValues({ steps: steps(down) }, records('failed'), LIVE)).toEqual([]);
    expect(writtenValues({ steps: steps(restart) }, records('done'))).toEqual([]);
  });

  it('names a field that was not there, and its parents, as unset', () => {
    const limit = setField(LIVE, '/spec/template/spec/containers/0/resources/limits/memory', '48Gi');
    const values = writtenValues({ steps: steps(limit) }, records('done'));

    expect(changedValues(values, { edits: [] }, { state: 'done' })).toEqual([
      { label: 'limits.memory', from: null, to: '48Gi' },
    ]);
  });
});

describe('the patch for Git', () => {
  const patchOf = (...changes: Change[]) => {
    const plan = { steps: steps(joinChanges(changes)) };
    return permanentPatch(writtenValues(plan, records('done')), new Map([[object.uid, LIVE]]), plan);
  };

  it('is a strategic merge patch, with containers and variables by name', () => {
    const env = diffJson(
      LIVE.spec.template.spec.containers[0]?.env,
      [{ name: 'A', value: '2' }],
      ARGS.replace('args', 'env'),
    );

    expect(patchOf(inLive(ARGS, NEW_ARGS), env)).toBe(`apiVersion: apps/v1
kind: Deployment
metadata:
  name: vllm-server
  namespace: llm
spec:
  template:
    spec:
      containers:
        - name: vllm
          args:
            - --max-model-len
            - "4096"
          env:
            - name: A
              value: "2"
`);
  });

  it('holds no secret, and is left to words where the object was not read', () => {
    expect(patchOf(inLive(ARGS, ['--api-key', 'hunter2hunter2']))).not.toContain('hunter2');
    const plan = { steps: steps(down) };
    expect(permanentPatch(writtenValues(plan, records('done')), new Map(), plan)).toBeUndefined();
  });
});
