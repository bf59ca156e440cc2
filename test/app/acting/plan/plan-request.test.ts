import { describe, expect, it } from 'vitest';
import { parsePlanRequest, undoTypography } from '../../../../src/app/acting/plan/plan-request.ts';

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
    ['', /It goes: plan <incident>/],
    ['--to-zero', /It goes: plan <incident>/],
    ['inc_1 dance', /`dance` is no action; these are: .*restart-drained, roll-back/],
    ['inc_1 scale-up 3', /`3` means nothing behind the action/],
    ['inc_1 --replicas=many', /`--replicas` needs a whole number of at least 1/],
    ['inc_1 --profile=fast', /`--profile` is one of conservative, performance, emergency/],
    ['inc_1 scale-up --profile=emergency', /`--profile` has no place in it/],
    ['inc_1 --replicas', /`--replicas` needs a whole number of at least 1/],
    ['inc_1 scale-up --replicas=-4', /`--replicas` needs a whole number of at least 1/],
    ['inc_1 scale-up --replicas=2.5', /`--replicas` needs a whole number of at least 1/],
    ['inc_1 scale-up --replicas=0', /needs at least 1/],
    ['inc_1 scale-to-zero --replicas=1', /scale-to-zero takes no `--replicas`/],
    ['inc_1 scale-up --replicas=2 --to-zero', /scale-up takes no `--to-zero`/],
    ['inc_1 scale-to-zero --max-model-len=8192', /scale-to-zero sets no values, so `--max-model-len`/],
    ['inc_1 set-args --max-model-len=8192 --max_model_len=9000', /`--max_model_len` is given twice/],
    ['inc_1 raise-ram --memory', /`--memory` needs a size/],
    ['inc_1 raise-ram --memory=', /`--memory` needs a size/],
    ['inc_1 set-args --memory=96Gi', /`--memory` is planned alone: `raise-ram --memory=96Gi`/],
    ['inc_1 --memory=96Gi --max-model-len=8192', /`--memory` is planned alone/],
    ['inc_1 raise-ram --max-model-len=8192', /raise-ram takes `--memory=96Gi`, so `--max-model-len` has no place/],
    ['inc_1 --max-model-len 8192', /needs its value behind `=`: `--max-model-len=8192`/],
    ['inc_1 set-args --max-model-len 8192', /needs its value behind `=`: `--max-model-len=8192`/],
    ['inc_1 scale-up --replicas 2', /needs its value behind `=`: `--replicas=2`/],
    ['inc_1 --replicas scale-up', /`--replicas` needs a whole number of at least 1/],
    ['inc_1 set-args --max-model-len', /needs a value behind `=`/],
  ])('%j is answered with how it goes', (text, says) => {
    expect(parsePlanRequest(text)).toMatchObject({ kind: 'wrong', says: expect.stringMatching(says) });
  });

  it('is meant as it was typed before a keyboard made it pretty', () => {
    expect(undoTypography(' `approve` —break-glass=“why – really” ')).toBe('approve --break-glass="why – really"');
  });
});
