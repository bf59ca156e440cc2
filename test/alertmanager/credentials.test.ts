import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { isAuthorized } from '../../src/alertmanager/credentials.ts';

const folder = mkdtempSync(join(tmpdir(), 'oom-webhook-'));
afterAll(() => rmSync(folder, { recursive: true }));
const file = join(folder, 'secret');

const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;

describe('the credentials of the webhook', () => {
  it.each([
    ['a bearer token', { kind: 'bearer', token: 't' }, 'Bearer t', true],
    ['another token', { kind: 'bearer', token: 't' }, 'Bearer u', false],
    ['a longer token', { kind: 'bearer', token: 't' }, 'Bearer tt', false],
    ['nothing', { kind: 'bearer', token: 't' }, undefined, false],
    ['user and password', { kind: 'basic', user: 'am', password: 'p:q' }, basic('am:p:q'), true],
    ['another user', { kind: 'basic', user: 'am', password: 'p' }, basic('me:p'), false],
    ['a token in the place of a password', { kind: 'basic', user: 'am', password: 'p' }, 'Bearer p', false],
  ] as const)('are judged for %s', (_, auth, header, expected) => {
    expect(isAuthorized(auth, header)).toBe(expected);
  });

  it('in a file may change at any time, and an empty file lets nobody in', () => {
    const auth = { kind: 'bearer-file', file } as const;
    writeFileSync(file, 'one\n');
    expect([isAuthorized(auth, 'Bearer one'), isAuthorized(auth, 'Bearer two')]).toEqual([true, false]);

    writeFileSync(file, 'two');
    expect([isAuthorized(auth, 'Bearer one'), isAuthorized(auth, 'Bearer two')]).toEqual([false, true]);

    writeFileSync(file, '\n');
    expect([isAuthorized(auth, 'Bearer '), isAuthorized(auth, 'Bearer')]).toEqual([false, false]);
  });
});
