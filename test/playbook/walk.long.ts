import { it } from 'vitest';
import { aimlessText, walkProperty } from './walk-property.ts';

it('the walk holds for many playbooks and facts', () => walkProperty({ seed: 23, numRuns: 1500 }), 180_000);

it('no text makes the compiler throw', () => aimlessText({ seed: 29, numRuns: 2500 }), 180_000);
