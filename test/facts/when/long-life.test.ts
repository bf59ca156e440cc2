import { describe, expect, it } from 'vitest';
import { aPod, ended } from '../../read/cluster/a-pod.ts';
import { valueIn } from '../incident.ts';

const HOUR = 3600;
const BARS = 'Loading safetensors checkpoint shards: 100% Completed | 7/7 [00:41<00:00,  5.9s/it]\n';
// The pod was created at 10:00:00.
const head = (time: string) =>
  [
    `(APIServer pid=1) INFO 03-01 ${time}:12 [api_server.py:1839] vLLM API server version 0.11.0`,
    `(EngineCore_DP0 pid=212) INFO 03-01 ${time}:25 [gpu_model_runner.py:2602] Starting to load model some/model...`,
    'Loading safetensors checkpoint shards:  14% Completed | 1/7 [00:09<00:56,  9.41s/it]',
    '',
  ].join('\n');

type Life = {
  readonly lived: number;
  readonly log: string;
  readonly readyFalseSince?: number;
  readonly now?: boolean;
  readonly image?: string;
};

async function lifeOf({ lived, log, readyFalseSince, now = false, image = 'vllm/vllm-openai:v0.11.0' }: Life) {
  const lastState = ended({ reason: 'OOMKilled', exitCode: 137, from: 10, to: 10 + lived });
  const state = { running: { startedAt: '2026-03-01T23:00:00Z' } };
  const pod = aPod({
    container: { name: 'vllm', image, args: [] },
    containerStatus: { lastState, ...(now && { state }) },
    ready: { status: 'False', since: readyFalseSince ?? 10 + lived },
  });
  // A condition without its time tells nothing of readiness.
  const text = JSON.stringify(pod).replace(readyFalseSince === undefined ? /,"lastTransitionTime":"[^"]+"/ : /$^/, '');
  const files = { 'pod.json': text, [now ? 'current.log' : 'previous.log']: log };
  return (await valueIn(files, 'failure.life')) ?? 'not told';
}

describe('a life that is far longer than any start', () => {
  it.each([
    ['bars without a time, three days', { lived: 72 * HOUR, log: BARS }, 'serving'],
    ['bars without a time, exactly four hours', { lived: 4 * HOUR, log: BARS }, 'serving'],
    ['bars without a time, a second less', { lived: 4 * HOUR - 1, log: BARS }, 'starting'],
    ['the first part of a log', { lived: 6.5 * HOUR, log: head('10:00') }, 'serving'],
    ['the first part of a log of another time zone', { lived: 6.5 * HOUR, log: head('02:00') }, 'serving'],
    ['a log that goes on to the end, by its clock', { lived: 6.5 * HOUR, log: head('16:17') }, 'starting'],
    ['the log of the run after it', { lived: 6.5 * HOUR, log: head('23:00'), now: true }, 'serving'],
  ])('is no start where the log is silent all that time: %s', async (_, life, expected) => {
    expect(await lifeOf(life)).toBe(expected);
  });

  it('tells nothing of a server that loads when it is asked', async () => {
    const log = 'time=2026-03-01T10:00:05Z level=INFO source=server.go:400 msg="starting runner" cmd="ollama runner"\n';

    expect(await lifeOf({ lived: 72 * HOUR, log, image: 'ollama/ollama:0.12.3' })).not.toBe('serving');
  });
});
