import { expect, it } from 'vitest';
import { statusMessage } from '../../src/report/status.ts';
import { drawTerminal } from '../../src/report/terminal.ts';
import { exampleIncident } from '../model/examples.ts';
import { AS_TEXT } from './plain.ts';

it.each([
  [true, true, /^(?!.*proved)/],
  [true, false, /\(the memory is proved, the cause is not\)/],
  [false, false, /\(neither memory nor cause is proved\)/],
])('the list of incidents says what is proved: memory %s, cause %s', (certain, causeCertain, words) => {
  const incidents = [{ ...exampleIncident, certain, causeCertain }];

  const shown = drawTerminal(statusMessage({ incidents, runs: [], paused: undefined }, 0, '/oom'), AS_TEXT);

  expect(shown.replaceAll(/\s+/g, ' ')).toMatch(words);
});

it('speaks of no memory where none failed', () => {
  const incidents = [{ ...exampleIncident, plane: 'none' as const, certain: true, causeCertain: false }];

  const shown = drawTerminal(statusMessage({ incidents, runs: [], paused: undefined }, 0, '/oom'), AS_TEXT);

  expect(shown.replaceAll(/\s+/g, ' ')).toMatch(/ \(the cause is not proved\)/);
});
