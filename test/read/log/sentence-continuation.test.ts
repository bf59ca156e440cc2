import { describe, expect, it } from 'vitest';
import { goesOn } from '../../../src/read/log/sentence-continuation.ts';

describe('a sentence that was wrapped', () => {
  it.each([
    [
      'ends in the middle of the next line',
      'AssertionError: Error in memory profiling. Initial free memory 82.94 GiB,',
      ['current free memory 90.17 GiB. This happens when other processes sharing the', 'same container free it.'],
      1,
    ],
    [
      'ends two lines below',
      'RuntimeError: CUDA out of memory occurred when warming up sampler with',
      ['1024 dummy requests while `max_num_seqs` is as large as', 'it is here.', 'another line'],
      2,
    ],
    [
      'is set under the words of its first line',
      'WARNING 08-16 08:09:07 [worker.py:2967] Releasing expired KV blocks for request',
      ['        8f07dfc0-...-a2f0e657 which were retrieved by 0 remote worker(s).'],
      1,
    ],
    [
      'goes on with a capital behind a word that ends none',
      'ValueError: the model needs more memory than what is left on the',
      ['GPU of this machine.'],
      1,
    ],
  ])('%s', (_name, line, below, more) => {
    expect(goesOn(line, below)).toEqual(below.slice(0, more));
  });

  it('is quoted with three more lines at most', () => {
    const below = ['and another line of it', 'and another line of it', 'and another line of it', 'and its end.'];

    expect(goesOn('the error says a great many things about the memory', below)).toHaveLength(3);
  });
});

const SENTENCE = 'the engine could not allocate the memory that it asked for';
it.each([
  ['it is ended', `${SENTENCE}.`, 'the next thing happened'],
  ['the next line has a head of its own', SENTENCE, 'llama_model_load: error loading model'],
  ['the next line has a label', SENTENCE, 'allocator snapshot: many small pieces'],
  ['the next line bears a time', SENTENCE, '2026-09-14T10:00:00Z the server goes on'],
  ['the next line is a record of vLLM', SENTENCE, 'INFO 09-14 10:00:00 [core.py:1] done'],
  ['the next line has the prefix of a process', SENTENCE, '(EngineCore pid=7) the end'],
  ['the next line is a heading', SENTENCE, '# and then it was restarted'],
  ['the next line begins another sentence', SENTENCE, 'Killed'],
  ['the next line is blank', SENTENCE, ''],
  ['it is too short to have been wrapped', 'it asked for more memory than', 'there was.'],
  [
    'it is a frame of a stack',
    '  File "/app/vllm/v1/worker/gpu_worker.py", line 7, in run a step of',
    '    self.run(batch)',
  ],
  ['it is a row of figures', '0  NVIDIA-L40S  44.21  0.91  11.04  0.02  312.1  77', '1  nvidia'],
])('no sentence goes on where %s', (_name, line, below) => {
  expect(goesOn(line, [below])).toEqual([]);
});
