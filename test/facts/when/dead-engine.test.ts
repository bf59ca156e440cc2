import { describe, expect, it } from 'vitest';
import { factsOfFiles, valueIn } from '../incident.ts';
import { podFile, running } from '../pod.ts';

const API = '(APIServer pid=1) INFO:    ';
const CORE = '(EngineCore_DP0 pid=214) ERROR 09-14 10:47:10 [core.py:710]';
const READY = `${API} Application startup complete.`;
const SERVED = `${API} 10.1.2.3:40412 - "POST /v1/chat/completions HTTP/1.1" 200 OK`;
const FATAL = `${CORE} EngineCore encountered a fatal error.`;
const DEAD =
  '(APIServer pid=1) ERROR 09-14 10:47:10 [async_llm.py:480] vllm.v1.engine.exceptions.EngineDeadError: EngineCore encountered an issue. See stack trace (above) for the root cause.';
const FAILED = `${API} 10.1.2.3:40418 - "POST /v1/chat/completions HTTP/1.1" 500 Internal Server Error`;
const HEALTH = `${API} 10.1.2.1:50112 - "GET /health HTTP/1.1" 200 OK`;
const STOPS = `${API} Shutting down`;
const SGLANG = '[2025-05-01 10:00:00 TP0] Scheduler hit an exception: Traceback (most recent call last):';

const pod = (status: object) => podFile({ status: { restartCount: 0, ready: true, state: running(), ...status } });
const files = (lines: readonly string[], status: object = {}, log = 'current.log') => ({
  ...pod(status),
  [log]: `${lines.join('\n')}\n`,
});
const stateOf = (...given: Parameters<typeof files>) => valueIn(files(...given), 'instance.state');

describe('an engine that died behind a pod that is Ready', () => {
  it.each([
    ['its core died and requests fail', [READY, SERVED, FATAL, DEAD, FAILED, HEALTH]],
    ['nobody has asked since', [READY, SERVED, DEAD]],
    ['the scheduler of SGLang died', ['[2025-05-01 09:00:00] The server is fired up and ready to roll!', SGLANG]],
  ])('is seen where %s', async (_name, lines) => {
    expect(await stateOf(lines)).toBe('engine-dead');
  });

  it.each<[string, readonly string[], object?, string?]>([
    ['a request was answered since', [READY, DEAD, SERVED]],
    ['the server shuts down: it is started again by itself', [READY, DEAD, STOPS]],
    ['it had not become ready', [FATAL, DEAD]],
    ['no line tells of a death', [READY, SERVED, FAILED]],
    ['the container is not ready', [READY, DEAD], { ready: false }],
    ['the log is that of the run before', [READY, DEAD], {}, 'previous.log'],
  ])('is not where %s', async (_name, lines, status, log) => {
    expect(await stateOf(lines, status, log)).not.toBe('engine-dead');
  });

  it('is cited from the line of its death, the status, the probe and the request', async () => {
    const fact = (await factsOfFiles(files([READY, SERVED, FATAL, FAILED, HEALTH]))).get('instance.state');

    expect(fact?.kind === 'known' && fact.from.map((one) => ('text' in one ? one.text : ''))).toEqual([
      FATAL,
      'true',
      HEALTH,
      FAILED,
    ]);
  });

  it('is not asked of a status alone', async () => {
    expect(await valueIn(pod({}), 'instance.state')).toBeUndefined();
  });
});
