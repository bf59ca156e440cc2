import fc from 'fast-check';
import { expect, it } from 'vitest';
import { editArguments } from '../../../src/actions/arguments/edit-arguments.ts';
import { REFUSALS } from '../../../src/actions/arguments/edit-outcome.ts';
import { applyPatch } from '../../../src/model/json-patch.ts';
import { tablesInForce } from '../../../src/model/reference-tables.ts';

const word = fc.oneof(
  fc.constantFrom(
    'vllm',
    'serve',
    'sh',
    '-c',
    '--seed',
    '--seed=1',
    '1',
    '--',
    '"$@"',
    '$(A)',
    'exec "$@"',
    'vllm serve m --seed 1',
    'env',
    '-o',
  ),
  fc.string({ maxLength: 12 }),
);
const words = fc.option(fc.array(word, { maxLength: 6 }), { nil: undefined });
const variable = fc.record({
  name: fc.constantFrom('A', 'B', 'VLLM_ADDITIONAL_ARGS'),
  value: fc.string({ maxLength: 8 }),
});
const shaped = fc.record({
  command: words,
  args: words,
  env: fc.option(fc.array(variable, { maxLength: 3 }), { nil: undefined }),
});
const container = fc.oneof(
  shaped.map((one) => JSON.parse(JSON.stringify(one)) as unknown),
  fc.jsonValue(),
);
const flag = fc.oneof(
  fc.constantFrom('--seed', '--enforce-eager', '--enable-prefix-caching', 'A', 'VLLM_ADDITIONAL_ARGS'),
  fc.string({ maxLength: 6 }),
);
const edits = fc.array(
  fc.record({
    flag,
    to: fc.option(fc.oneof(fc.constantFrom('2', 'true', 'false'), fc.string({ maxLength: 6 })), { nil: null }),
  }),
  { maxLength: 3 },
);
const engine = fc.constantFrom(...Object.keys(tablesInForce().commandLines), 'unknown');

it('any container at all is edited so that the inverse gives it back, or refused with a reason; nothing is thrown', () => {
  let edited = 0;
  fc.assert(
    fc.property(container, edits, engine, fc.boolean(), (json, list, name, isEngine) => {
      const outcome = editArguments({
        engine: name,
        container: json,
        at: '',
        edits: list,
        entrypoint: isEngine ? 'engine' : 'unknown',
      });

      if (outcome.kind === 'refused') {
        expect(REFUSALS).toContain(outcome.reason);
        expect(outcome.reason).not.toBe('check-failed');
        return;
      }
      edited++;
      const done = applyPatch(json, outcome.patch);
      expect(applyPatch(done.kind === 'applied' ? done.value : null, outcome.inverse)).toEqual({
        kind: 'applied',
        value: json,
      });
    }),
    { seed: 4, numRuns: 1500 },
  );
  expect(edited).toBeGreaterThan(50);
});
