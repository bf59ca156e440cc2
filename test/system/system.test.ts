import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { OomError } from '../../src/model/errors.ts';
import { createSystemClock } from '../../src/system/clock.ts';
import { createSystemIds } from '../../src/system/ids.ts';
import { createLog, type LogLevel } from '../../src/system/log.ts';
import { createFakeClock } from '../fakes/clock.ts';

describe('the clock', () => {
  it.each([
    ['real', createSystemClock()],
    ['fake', createFakeClock()],
  ])('%s: a sleep that is aborted ends with the reason of the signal', async (_name, clock) => {
    const stop = new AbortController();
    const reason = new OomError('deadline', 'over', { next: '' });
    const sleeping = clock.sleep(60_000, stop.signal);

    stop.abort(reason);

    await expect(sleeping).rejects.toBe(reason);
    await expect(clock.sleep(60_000, stop.signal)).rejects.toBe(reason);
  });

  it('tells the time and wakes after it', async () => {
    const clock = createSystemClock();
    const before = clock.now();

    await clock.sleep(5);

    expect(clock.now() - before).toBeGreaterThanOrEqual(4);
    expect(Math.abs(before - Date.now())).toBeLessThan(5000);
    await expect(clock.sleep(-5)).resolves.toBeUndefined();
  });
});

it('ids have their prefix and 20 characters, and do not repeat', () => {
  const ids = createSystemIds();
  const many = Array.from({ length: 2000 }, () => ids.next('inc'));

  expect(new Set(many).size).toBe(2000);
  for (const id of many) expect(id).toMatch(/^inc_[0-9a-z]{20}$/);
  expect(new Set(many.flatMap((id) => [...id.slice(4)])).size).toBe(32);
});

describe('the log', () => {
  function written(level: LogLevel = 'info') {
    const lines: string[] = [];
    const destination = new Writable({
      write(chunk, _encoding, done) {
        lines.push(String(chunk));
        done();
      },
    });
    return { log: createLog({ level, destination }), lines };
  }

  it('is one JSON object a line, the event and its fields', () => {
    const { log, lines } = written();

    log.info('triage ended', { triageId: 'tri_1', wallMs: 12 });

    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ level: 30, msg: 'triage ended', triageId: 'tri_1', wallMs: 12 });
  });

  it.each([
    ['info', ['a', 'b', 'c']],
    ['warn', ['b', 'c']],
    ['error', ['c']],
    ['silent', []],
  ] as const)('of level %s has %j', (level, expected) => {
    const { log, lines } = written(level);

    log.info('a');
    log.warn('b');
    log.error('c');

    expect(lines.map((line) => JSON.parse(line).msg)).toEqual(expected);
  });

  it('shows nothing of what is called a secret, nor of what an SDK hangs on its errors', () => {
    const { log, lines } = written();
    const request = { headers: { authorization: 'Bearer s3cret' } };
    const error = Object.assign(new Error('refused', { cause: Object.assign(new Error('inner'), { request }) }), {
      request,
    });

    log.error('failed', { token: 's3cret', slack: { botToken: 's3cret' }, error });

    expect(lines.join('')).not.toContain('s3cret');
    expect(JSON.parse(lines[0] ?? '').error).toMatchObject({
      type: 'Error',
      message: 'refused',
      cause: { message: 'inner' },
    });
  });

  it('shows no secret in the words of a fault, of its causes, or of a field', () => {
    const { log, lines } = written();
    const cause = new Error('connect http://app:s3cretpass@prometheus:9090 failed');

    log.error('failed', { error: new Error('denied: args [--api-key s3cretpass]', { cause }) });
    log.warn('watch lost', { why: ['Authorization: Bearer s3cretpass'], cluster: 'prod' });

    expect(lines.join('')).not.toContain('s3cretpass');
    expect(JSON.parse(lines[1] ?? '')).toMatchObject({ cluster: 'prod', msg: 'watch lost' });
  });

  it('tells the code of a fault, and is not stopped by what is no error', () => {
    const { log, lines } = written();

    log.error('failed', { error: new OomError('store-busy', 'busy', { next: '', cause: new Error('locked') }) });
    log.error('failed', { error: 'text' });

    expect(JSON.parse(lines[0] ?? '').error).toMatchObject({ code: 'store-busy', cause: { message: 'locked' } });
    expect(JSON.parse(lines[1] ?? '').error).toEqual({ message: 'text' });
  });
});
