import { it } from 'vitest';
import { anyMessageHolds } from './any-message.ts';

it('draws every message within Slack’s limits, whatever is in it', () => anyMessageHolds(1000));
