import { describe, expect, it } from 'vitest';
import { parsePlanRequest } from '../../../../src/app/acting/plan/plan-request.ts';
import { undoTypography } from '../../../../src/app/command.ts';

const NOTHING = { action: undefined, values: [], replicas: undefined, toZero: false };

describe('what is typed behind plan', () => {
  it.each([
    ['inc_1', {}],
    ['  `inc_1`  ', {}],
    ['inc_1 scale-to-zero --to-zero', { action: 'scale-to-zero', toZero: true }],
    ['inc_1 scale-up --replicas=3', { action: 'scale-up', replicas: 3 }],
    ['inc_1 set-args --max-model-len=8192', { action: 'set-args', values: [{ flag: '--max-model-len', to: '8192' }] }],
    ['inc_1 set-args —max-model-len=8192', { action: 'set-args', values: [{ flag: '--max-model-len', to: '8192' }] }],
    ['inc_1 set-args --replicas=2 --to-zero', { action: 'set-args', replicas: 2, toZero: true }],
    [
      'inc_1 raise-ram --memory=96Gi',
      { action: 'raise-ram', values: [{ flag: 'resources.limits.memory', to: '96Gi' }] },
    ],
    ['inc_1 —memory=1.5TiB', { action: 'raise-ram', values: [{ flag: 'resources.limits.memory', to: '1.5Ti' }] }],
    ['inc_1 --profile=emergency', { profile: 'emergency' }],
    ['inc_1 --swap-space=', { values: [{ flag: '--swap-space', to: null }] }],
    [
      'inc_1 set-allocator PYTORCH_ALLOC_CONF=a:b=c',
      { action: 'set-allocator', values: [{ flag: 'PYTORCH_ALLOC_CONF', to: 'a:b=c' }] },
    ],
  ])('%j is understood', (text, over) => {
    const request = { incidentId: 'inc_1', ...NOTHING, ...over };

    expect(parsePlanRequest(text)).toEqual({ kind: 'request', request });
  });

  it.each([
    ['', /Usage: plan <incident>/],
    ['--to-zero', /Usage: plan <incident>/],
    ['inc_1 dance', /`dance` is not an action. Actions: .*restart-drained, roll-back/],
    ['inc_1 scale-up 3', /Unexpected `3` after the action/],
    ['inc_1 --replicas=many', /`--replicas` must be a whole number of at least 1/],
    ['inc_1 --profile=fast', /`--profile` must be one of conservative, performance, emergency/],
    ['inc_1 scale-up --profile=emergency', /`--profile` does not apply/],
    ['inc_1 --replicas', /`--replicas` must be a whole number of at least 1/],
    ['inc_1 scale-up --replicas=-4', /`--replicas` must be a whole number of at least 1/],
    ['inc_1 scale-up --replicas=2.5', /`--replicas` must be a whole number of at least 1/],
    ['inc_1 scale-up --replicas=0', /must be at least 1/],
    ['inc_1 scale-to-zero --replicas=1', /`--replicas` does not apply to scale-to-zero/],
    ['inc_1 scale-up --replicas=2 --to-zero', /`--to-zero` does not apply to scale-up/],
    ['inc_1 scale-to-zero --max-model-len=8192', /scale-to-zero sets no values, so `--max-model-len`/],
    ['inc_1 set-args --max-model-len=8192 --max_model_len=9000', /`--max_model_len` is set twice/],
    ['inc_1 raise-ram --memory', /`--memory` needs a size/],
    ['inc_1 raise-ram --memory=', /`--memory` needs a size/],
    ['inc_1 set-args --memory=96Gi', /`--memory` cannot be combined with other values: `raise-ram --memory=96Gi`/],
    ['inc_1 --memory=96Gi --max-model-len=8192', /`--memory` cannot be combined with other values/],
    ['inc_1 raise-ram --max-model-len=8192', /raise-ram takes `--memory=96Gi`, so `--max-model-len` does not apply/],
    ['inc_1 --max-model-len 8192', /and its value need a `=`: `--max-model-len=8192`/],
    ['inc_1 set-args --max-model-len 8192', /and its value need a `=`: `--max-model-len=8192`/],
    ['inc_1 scale-up --replicas 2', /and its value need a `=`: `--replicas=2`/],
    ['inc_1 --replicas scale-up', /`--replicas` must be a whole number of at least 1/],
    ['inc_1 set-args --max-model-len', /needs a value: `--max-model-len=VALUE`/],
  ])('%j is answered with how it goes', (text, says) => {
    expect(parsePlanRequest(text)).toMatchObject({ kind: 'wrong', says: expect.stringMatching(says) });
  });

  it('is meant as it was typed before a keyboard made it pretty', () => {
    expect(undoTypography(' `approve` —break-glass=“why – really” ')).toBe('approve --break-glass="why – really"');
  });
});
