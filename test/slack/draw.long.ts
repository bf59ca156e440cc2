import fc from 'fast-check';
import { expect, it } from 'vitest';
import { drawHome, drawMessage } from '../../src/slack/draw/message.ts';
import { drawPlain } from '../../src/slack/draw/plain.ts';
import { validateHome, validateMessage } from '../../src/slack/limits/message-limits.ts';
import { anyMessage } from './any-message.ts';

it('draws every message within Slack’s limits, whatever is in it', () => {
  fc.assert(
    fc.property(anyMessage, (message) => {
      expect(validateMessage(drawMessage(message), 'update')).toEqual([]);
      expect(validateMessage({ text: drawPlain(message) }, 'update')).toEqual([]);
      expect(validateHome(drawHome([message, message]))).toEqual([]);
    }),
    { numRuns: 1000 },
  );
});
