import { it } from 'vitest';
import { useMovedTime } from './acting-scene.ts';
import { threeDays } from './shift-story.ts';

useMovedTime();

it('three days of an incident, its handovers, reminders, drift and end', { timeout: 120_000 }, () => threeDays());
