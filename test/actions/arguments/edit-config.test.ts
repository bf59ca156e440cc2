import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { editConfig } from '../../../src/actions/arguments/edit-config.ts';
import { applyPatch } from '../../../src/model/json-patch.ts';

const AT = '/data/inference_config.yaml';
const KAITO = `# tuned on call
max_probe_steps: 6
vllm:
  # leave some room
  gpu-memory-utilization: 0.95 # measured
  max-model-len: "8192"
  swap-space: '4'
  cpu_offload_gb: 0

other:
  max-model-len: 1
`;

function edit(text: string, edits: Readonly<Record<string, string | null>>, section: string | null = 'vllm') {
  const list = Object.entries(edits).map(([flag, to]) => ({ flag, to }));
  return editConfig({ engine: 'vllm', text, at: AT, section, edits: list });
}

function textAfter(text: string, edits: Readonly<Record<string, string | null>>, section?: string | null): string {
  const outcome = edit(text, edits, section);
  if (outcome.kind === 'refused') throw new Error(`${outcome.reason}: ${outcome.says}`);
  const object = { data: { 'inference_config.yaml': text } };
  const done = applyPatch(object, outcome.patch);
  if (done.kind === 'failed') throw new Error(done.why);
  expect(applyPatch(done.value, outcome.inverse)).toEqual({ kind: 'applied', value: object });
  return (done.value as typeof object).data['inference_config.yaml'];
}

describe('an edit of a configuration file', () => {
  it.each<[name: string, edits: Record<string, string | null>, from: string, to: string]>([
    ['a plain value, its remark kept', { '--gpu-memory-utilization': '0.9' }, '0.95 # measured', '0.9 # measured'],
    ['a value in double quotes', { '--max-model-len': '4096' }, '"8192"', '"4096"'],
    ['a value in single quotes', { '--swap-space': '0' }, "'4'", "'0'"],
    ['a key with underscores', { '--cpu-offload-gb': '8' }, 'cpu_offload_gb: 0', 'cpu_offload_gb: 8'],
    ['a line taken out', { '--swap-space': null }, "  swap-space: '4'\n", ''],
    ['a new line', { '--max-num-seqs': '64' }, '  gpu-memory', '  max-num-seqs: 64\n  gpu-memory'],
    [
      'a new line in place of the first',
      { '--dtype': 'half', '--gpu-memory-utilization': null },
      '  gpu-memory-utilization: 0.95 # measured\n',
      '  dtype: half\n',
    ],
  ])('changes %s', (_name, edits, from, to) => {
    expect(textAfter(KAITO, edits)).toBe(KAITO.replace(from, to));
  });

  // With KAITO a value of false is handed on behind the flag, which it turns on.
  it.each<[before: string, edits: Record<string, string>, expected: string, from: string]>([
    ['enable-prefix-caching: true', { '--enable-prefix-caching': 'false' }, 'no-enable-prefix-caching: true', 'true'],
    ['enable_prefix_caching: false', { '--enable-prefix-caching': 'false' }, 'no-enable_prefix_caching: true', 'true'],
    [
      '"enable-prefix-caching": yes',
      { '--no-enable-prefix-caching': 'true' },
      '"no-enable-prefix-caching": yes',
      'false',
    ],
    ['no-enable-prefix-caching: true', { '--enable-prefix-caching': 'true' }, 'enable-prefix-caching: true', 'false'],
  ])('turns a switch by its name: %s', (before, edits, expected, from) => {
    const text = `vllm:\n  seed: 1\n  ${before} # why\n`;

    expect(textAfter(text, edits)).toBe(text.replace(before, expected));
    expect(edit(text, edits)).toMatchObject({ changed: [{ from }] });
  });

  it('takes a switch out that has no other name, and says false where the engine reads the file itself', () => {
    expect(textAfter('vllm:\n  seed: 1\n  enforce-eager: true\n', { '--enforce-eager': 'false' })).toBe(
      'vllm:\n  seed: 1\n',
    );
    expect(textAfter('enforce-eager: true\n', { '--enforce-eager': 'false' }, null)).toBe('enforce-eager: false\n');
  });

  it('knows other spellings of a key', () => {
    const input = { engine: 'sglang', text: 'tp: 2\n', at: AT, section: null, edits: [{ flag: '--tp-size', to: '4' }] };

    expect(editConfig(input)).toMatchObject({
      patch: [{}, { value: 'tp: 4\n' }],
      changed: [{ flag: '--tp-size', from: '2', to: '4' }],
    });
  });

  it('changes settings that stand at the top', () => {
    expect(textAfter('model: m\nmax_model_len: 1\n', { '--max-model-len': '2', '-tp': '2' }, null)).toBe(
      'tensor-parallel-size: 2\nmodel: m\nmax_model_len: 2\n',
    );
  });

  it.each<[reason: string, text: string, edits: Record<string, string | null>]>([
    ['file-form', 'vllm: {max-model-len: 1}', { '--seed': '1' }],
    ['file-form', 'vllm:\n', { '--seed': '1' }],
    ['file-form', 'other: 1\n', { '--seed': '1' }],
    ['file-form', 'vllm:\n  seed: [1, 2]\n', { '--seed': '1' }],
    ['file-form', 'vllm:\n  seed: &a 1\n', { '--seed': '2' }],
    ['file-form', 'vllm:\n  seed: *a\n', { '--seed': '2' }],
    ['file-form', 'vllm:\n  seed: |\n    1\n', { '--seed': '2' }],
    ['file-form', 'vllm:\n  seed: 1\n  seed: 2\n', { '--seed': '3' }],
    ['file-form', 'vllm:\n  max-model-len: 1\n  max_model_len: 2\n', { '--max-model-len': '3' }],
    ['file-form', 'vllm:\n  seed: 1\n', { '--seed': null }],
    ['file-form', 'vllm:\n  seed:\n', { '--seed': '1' }],
    ['file-form', 'a: "b\n', { '--seed': '1' }],
    ['file-form', 'vllm:\n  seed: 1\n---\nb: 1\n', { '--seed': '2' }],
    [
      'odd-form',
      'vllm:\n  enable-prefix-caching: true\n  no-enable-prefix-caching: true\n',
      { '--enable-prefix-caching': 'false' },
    ],
    ['odd-form', 'vllm:\n  no-enforce-eager: true\n', { '--enforce-eager': 'true' }],
    ['switch-in-file', KAITO, { '--enable-prefix-caching': 'false' }],
    ['switch-in-file', KAITO, { '--enforce-eager': 'true' }],
    ['nothing-to-change', KAITO, { '--enforce-eager': 'false' }],
    ['unfit-value', 'vllm:\n  enforce-eager: true\n', { '--enforce-eager': '1' }],
    ['file-form', 'vllm:\n  enforce-eager: maybe\n', { '--enforce-eager': 'true' }],
    ['unfit-value', KAITO, { '--seed': '010' }],
    ['unfit-value', KAITO, { '--dtype': 'No' }],
    ['unfit-value', KAITO, { '--seed': 'a: b' }],
    ['unfit-value', KAITO, { '--seed': '1\nx: 2' }],
    ['conflicting-edits', KAITO, { '-tp': '1', '--tensor_parallel_size': '2' }],
    ['nothing-to-change', KAITO, { '--max-model-len': '8192', '--seed': null }],
  ])('is refused (%s): %j %j', (reason, text, edits) => {
    expect(edit(text, edits)).toMatchObject({ kind: 'refused', reason });
  });

  it('hands over the lines where it is refused', () => {
    expect(edit('vllm: {}', { '--max-model-len': '4096', '-q': 'fp8', '--seed': null })).toMatchObject({
      paste: { kind: 'text', text: 'max-model-len: 4096\nquantization: fp8' },
    });
    expect(edit(KAITO, { '--enable-prefix-caching': 'false', '--enforce-eager': 'true' })).toMatchObject({
      paste: { kind: 'text', text: 'no-enable-prefix-caching: true\nenforce-eager: true' },
    });
  });

  it('never throws, and gives back what was there, whatever the text', () => {
    const line = fc.constantFrom(
      'vllm:',
      '  seed: 1',
      "  seed: 'a'",
      '  dtype: half # x',
      'a: [b',
      '  - c',
      '# d',
      '',
      '  ? e',
      '\t',
      '  "seed": 2',
    );
    const text = fc.oneof(
      fc.array(line, { maxLength: 8 }).map((lines) => lines.join('\n')),
      fc.array(line, { maxLength: 5 }).map((lines) => ['vllm:', '  port: 1', ...lines].join('\n')),
      fc.string(),
    );
    let edited = 0;
    fc.assert(
      fc.property(text, fc.constantFrom('2', null), (yaml, to) => {
        const outcome = edit(yaml, { '--seed': to });
        if (outcome.kind === 'edited') {
          edited++;
          textAfter(yaml, { '--seed': to });
        } else expect(outcome.reason).not.toBe('check-failed');
      }),
      { seed: 4, numRuns: 400 },
    );
    expect(edited).toBeGreaterThan(30);
  });
});
