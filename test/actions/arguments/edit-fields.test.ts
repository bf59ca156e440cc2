import { describe, expect, it } from 'vitest';
import { editFields } from '../../../src/actions/arguments/edit-fields.ts';
import { applyPatch } from '../../../src/model/json-patch.ts';

const OBJECT = { spec: { model: { maxModelLen: 8192, dtype: 'half', eager: false, extra: ['x'] }, vllmConfig: {} } };
const FIELDS = {
  '--max-model-len': '/spec/model/maxModelLen',
  '--dtype': '/spec/model/dtype',
  '--enforce-eager': '/spec/model/eager',
  '--extra': '/spec/model/extra',
  '--gpu-memory-utilization': '/spec/vllmConfig/gpuMemoryUtilization',
  '--seed': '/spec/lost/seed',
};

const edit = (edits: Readonly<Record<string, string | null>>) =>
  editFields({ object: OBJECT, fields: FIELDS, edits: Object.entries(edits).map(([flag, to]) => ({ flag, to })) });

describe('an edit of fields that stand for flags', () => {
  it.each<[edits: Record<string, string | null>, spec: object]>([
    [{ '--max_model_len': '4096' }, { model: { ...OBJECT.spec.model, maxModelLen: 4096 }, vllmConfig: {} }],
    [{ '--enforce-eager': 'true' }, { model: { ...OBJECT.spec.model, eager: true }, vllmConfig: {} }],
    [
      { '--gpu-memory-utilization': '0.9', '--dtype': '1' },
      { model: { ...OBJECT.spec.model, dtype: '1' }, vllmConfig: { gpuMemoryUtilization: 0.9 } },
    ],
    [{ '--dtype': null }, { model: { maxModelLen: 8192, eager: false, extra: ['x'] }, vllmConfig: {} }],
  ])('%j keeps types, and has its way back', (edits, spec) => {
    const outcome = edit(edits);

    const done = applyPatch(OBJECT, outcome.kind === 'edited' ? outcome.patch : []);
    expect(done).toEqual({ kind: 'applied', value: { spec } });
    const undone = applyPatch(done.kind === 'applied' && done.value, outcome.kind === 'edited' ? outcome.inverse : []);
    expect(undone).toEqual({ kind: 'applied', value: OBJECT });
  });

  it.each<[reason: string, edits: Record<string, string | null>]>([
    ['field-type', { '--max-model-len': '8k' }],
    ['field-type', { '--enforce-eager': '1' }],
    ['field-type', { '--extra': 'y' }],
    ['field-absent', { '--seed': '1' }],
    ['field-absent', { '--port': '1' }],
    ['nothing-to-change', { '--max-model-len': '8192', '--gpu-memory-utilization': null }],
    ['conflicting-edits', { '--max-model-len': '1', '--max_model_len': '2' }],
  ])('is refused (%s): %j', (reason, edits) => {
    expect(edit(edits)).toMatchObject({ kind: 'refused', reason });
  });
});
