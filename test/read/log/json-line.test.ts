import { describe, expect, it } from 'vitest';
import { linesOfJson } from '../../../src/read/log/json-line.ts';
import { diagnoseFiles, logged } from '../../facts/incident.ts';

const TRACEBACK = [
  'Traceback (most recent call last):',
  '  File "/opt/vllm/v1/worker/gpu_worker.py", line 298, in determine_available_memory',
  '    self.model_runner.profile_run()',
];
const OOM = 'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.';

const diagnosed = (log: string) => diagnoseFiles({ ...logged(log), 'incident.json': '{}' });

function inDocker(line: string): string {
  return JSON.stringify({ log: `${line}\n`, stream: 'stderr', time: '2026-09-14T10:00:00Z' });
}

describe('a line of JSON', () => {
  const message = JSON.stringify({ level: 'ERROR', message: 'start failed', exc_info: [...TRACEBACK, OOM].join('\n') });

  it.each([
    ['of a logger', message],
    ['of a logger, kept by a container runtime', inDocker(message)],
    ['that is cut off', message.slice(0, -20)],
  ])('%s holds the lines of a traceback', (_name, line) => {
    expect(linesOfJson(line)).toEqual(expect.arrayContaining(TRACEBACK.slice(1)));
  });

  it.each([
    ['text', `${OOM} said \\n of it`],
    ['one line kept by a container runtime', inDocker('INFO engine starts')],
  ])('holds no lines where it is %s', (_name, line) => {
    expect(linesOfJson(line)).toBeUndefined();
  });

  it('tells the step by the frames in it', async () => {
    const { diagnosis, facts } = await diagnosed(message);

    expect(diagnosis.verdict).toMatchObject({ plane: 'gpu', cause: 'gpu.startup.profiling', certain: true });
    expect(facts.get('log.stage')).toMatchObject({ value: 'profile', from: [{ line: 1 }] });
  });

  it('tells an error that is not about memory by its last line', async () => {
    const exc_info = [
      'Traceback (most recent call last):',
      '  File "/opt/x.py", line 1, in load',
      "KeyError: 'lm_head'",
    ];

    const { diagnosis } = await diagnosed(JSON.stringify({ level: 'ERROR', exc_info: exc_info.join('\n') }));

    expect(diagnosis.verdict).toMatchObject({ plane: 'none' });
  });

  it('tells nothing by what stands in a prompt', async () => {
    const line = JSON.stringify({ level: 'INFO', message: 'request', prompt: [...TRACEBACK, OOM].join('\n') });

    const { diagnosis } = await diagnosed(`INFO 09-14 10:00:00 [api_server.py:1] engine starts\n${line}`);

    expect(diagnosis.verdict).toMatchObject({ plane: 'unknown' });
  });
});
