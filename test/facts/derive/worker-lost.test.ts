import { describe, expect, it } from 'vitest';
import { diagnoseSource } from '../../../src/app/triage/diagnose.ts';
import { aSnapshot, COMPILED_PHRASES, judge } from '../../playbooks/shipped.ts';

const started = (model: string, ranks: number) =>
  `INFO 10-24 00:02:48 llm_engine.py:72] Initializing an LLM engine with config: model='${model}', dtype=torch.float16, tensor_parallel_size=${ranks}, seed=0)`;
const LOST =
  '2023-10-24 00:03:26,092 WARNING worker.py:2037 -- A worker died or was killed while executing a task by an unexpected system error. To troubleshoot the problem, check the logs for the dead worker. Worker PID: 1207 Worker exit type: SYSTEM_ERROR Worker exit detail: Worker unexpectedly exits with a connection error code 2. End of file. There are some potential root causes. (1) The process is killed by SIGKILL by OOM killer due to high memory usage. (2) ray stop --force is called. (3) The worker is crashed unexpectedly due to SIGSEGV or other unexpected errors.';

async function verdictOf(lines: readonly string[], uptime = 'startup') {
  const incident = { engine: 'vllm', engine_version: '0.2.1', uptime };
  const files = { 'previous.log': `${lines.join('\n')}\n`, 'incident.json': JSON.stringify(incident) };
  const { diagnosis } = await diagnoseSource(aSnapshot(files), { phrases: COMPILED_PHRASES, judge });
  return diagnosis.verdict;
}

describe('a worker that Ray lost without a word', () => {
  it.each(['/serve/m', 'llama-13b-chat'])(
    'had most likely filled the RAM with its fellows, loading %s',
    async (model) => {
      expect(await verdictOf([started(model, 2), LOST])).toMatchObject({
        plane: 'host',
        phase: 'startup',
        cause: 'host.startup.workers',
        certain: false,
      });
    },
  );

  it.each([
    ['the model is tiny', [started('facebook/opt-125m', 2), LOST], 'startup'],
    ['one rank loads', [started('/serve/m', 1), LOST], 'startup'],
    ['it had crashed', [started('/serve/m', 2), '*** SIGSEGV received at time=1693 on cpu 3 ***', LOST], 'startup'],
    ['an error stands beside it', [started('/serve/m', 2), "KeyError: 'x'", LOST], 'startup'],
    ['it served', [started('/serve/m', 2), LOST], 'hours'],
  ])('tells nothing of RAM where %s', async (_, lines, uptime) => {
    expect((await verdictOf(lines, uptime)).plane).not.toBe('host');
  });
});
