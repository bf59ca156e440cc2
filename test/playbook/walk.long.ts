import { it } from 'vitest';
import { aimlessText, walkProperty } from './walk-property.ts';

it('the walk holds for many playbooks and facts', () => walkProperty({ seed: 23, numRuns: 3000 }), 180_000);

it('no text makes the compiler throw', () => aimlessText({ seed: 29, numRuns: 5000 }), 180_000);
