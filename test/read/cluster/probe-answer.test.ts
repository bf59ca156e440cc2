import { expect, it } from 'vitest';
import { classifyDeath } from '../../../src/read/cluster/classify-death.ts';
import { readDeath } from '../../../src/read/cluster/death.ts';
import { readDescribe } from '../../../src/read/cluster/describe.ts';
import { gatherPod } from '../../../src/read/cluster/gather.ts';

const EVENTS = 'Events:\n  Type     Reason     Age   From     Message\n';

function answerOf(...rows: readonly string[]): unknown {
  const evidence = gatherPod({ describe: readDescribe(`Name:  a\n${EVENTS}${rows.join('\n')}\n`) });
  const { probeAnswer } = classifyDeath(evidence, readDeath(evidence));
  return probeAnswer.kind === 'known' ? probeAnswer.value : probeAnswer.reason;
}

const failed = (message: string, kind = 'Liveness', age = '41s') =>
  `  Warning  Unhealthy  ${age}  kubelet  ${kind} probe failed: ${message}`;

it.each([
  ['HTTP probe failed with statuscode: 404', 'not-found'],
  ['HTTP probe failed with statuscode: 503', 'unwell'],
  ['HTTP probe failed with statuscode: 401', 'other'],
  ['Get "http://10.0.0.9:8000/health": dial tcp 10.0.0.9:8000: connect: connection refused', 'refused'],
  ['dial tcp 10.0.0.9:8000: connect: connection refused', 'refused'],
  [
    'Get "http://10.0.0.9:8000/health": context deadline exceeded (Client.Timeout exceeded while awaiting headers)',
    'timeout',
  ],
  ['Get "http://10.0.0.9:8000/health": net/http: request canceled (Client.Timeout exceeded)', 'timeout'],
  ['command "curl -f localhost:8000/health" timed out', 'timeout'],
  ['service unhealthy (responded with "NOT_SERVING")', 'unwell'],
  ['this server does not implement the grpc health protocol (grpc.health.v1.Health)', 'not-found'],
  ['cat: /tmp/healthy: No such file or directory', 'other'],
])('a probe that failed with %s', (message, answer) => {
  expect(answerOf(failed(message))).toBe(answer);
});

it('is that of the last of several, and of a probe that ends a container', () => {
  const refused = failed('dial tcp 10.0.0.9:8000: connect: connection refused', 'Startup', '5m');
  const late = failed('context deadline exceeded', 'Liveness', '41s');

  expect(answerOf(refused, late)).toBe('timeout');
  expect(answerOf(late, refused)).toBe('timeout');
  expect(answerOf(failed('HTTP probe failed with statuscode: 404', 'Readiness'))).toBe('not-in-snapshot');
});
