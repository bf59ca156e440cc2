import { describe, expect, it } from 'vitest';
import { known, logged, verdictOfFiles } from '../incident.ts';

const verdictOf = (line: string, uptime = 'startup') => verdictOfFiles({ ...logged(line), ...known({ uptime }) });

describe('an error that no signature knows', () => {
  it('is no certain verdict', async () => {
    expect(await verdictOf('ValueError: the widget of layer 3 is odd')).toMatchObject({
      plane: 'none',
      cause: 'none.config',
      certain: false,
    });
  });

  it.each([
    ['of a group of ranks', '[E ProcessGroup', 'none', 'none.comm'],
    [
      'of a device, told by a group of ranks',
      '[rank0]:[E1012 10:00:00.123456789 ProcessGroupNCCL.cpp:1595] Process group watchdog thread terminated with exception: CUDA error: an illegal memory access was encountered',
      'none',
      'none.gpu-fault',
    ],
  ])('beside an actor of Ray that died, an error %s decides', async (_what, line, plane, cause) => {
    const died = 'The actor is dead because its worker process has died. Worker exit type: SYSTEM_ERROR';

    expect(await verdictOf(`${died}\n${line}`, 'hours')).toMatchObject({ plane, cause });
  });

  it('is an error of the engine once the engine has served', async () => {
    expect(await verdictOf('ValueError: the widget of layer 3 is odd', 'hours')).toMatchObject({
      plane: 'none',
      cause: 'none.other',
    });
  });

  it.each([
    'ray.exceptions.ActorDiedError: The actor died unexpectedly before finishing this task.',
    '{"level":"ERROR","message":"Request failed during generation: Server error: error trying to connect: No such file or directory (os error 2)"}',
    'Request failed during generation: Server error: transport error',
  ])('is not made of the echo of a death: %s', async (line) => {
    expect(await verdictOf(line, 'minutes')).toMatchObject({ plane: 'unknown', certain: false });
  });
});

// Fields of a record that holds no error: docker inspect, Go's %v, Python's repr.
it.each(['Error:"",', 'Error: ""', 'Error: null,', 'Error: <nil>', 'Error: None'])('%s is no error', async (line) => {
  expect(await verdictOfFiles(logged('Status:"exited",', line, 'Pid:0,'))).toMatchObject({ plane: 'unknown' });
});
