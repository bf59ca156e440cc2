import { expect, it } from 'vitest';
import { parseCommand } from '../../src/app/command.ts';

it.each([
  ['a verb and a pod', 'triage llm/vllm-0', { kind: 'command', verb: 'triage', rest: 'llm/vllm-0' }],
  ['a verb in capitals from a phone', 'Triage vllm-0', { kind: 'command', verb: 'triage', rest: 'vllm-0' }],
  ['nothing', '  ', { kind: 'command', verb: 'help', rest: '' }],
  [
    'a bare pod',
    'vllm-server-7d8f6f9c6b-4mnl2',
    { kind: 'command', verb: 'triage', rest: 'vllm-server-7d8f6f9c6b-4mnl2' },
  ],
  [
    'a pasted row',
    'vllm-0  0/1  OOMKilled 3 1h',
    { kind: 'command', verb: 'triage', rest: 'vllm-0  0/1  OOMKilled 3 1h' },
  ],
  ['a misspelt verb', 'trriage vllm-0', { kind: 'unknown', word: 'trriage', nearest: 'triage' }],
  ['something else', 'dance', { kind: 'unknown', word: 'dance', nearest: undefined }],
])('what is typed after the slash: %s', (_name, text, expected) => {
  expect(parseCommand(text)).toEqual(expected);
});
