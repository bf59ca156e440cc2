import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { diagnoseSource } from '../../src/app/triage/diagnose.ts';
import { changedByDress } from './dressed-logs.ts';
import { aSnapshot, COMPILED_PHRASES, INCIDENTS, judge, PLAYBOOKS } from './shipped.ts';

it('a log ends at the same finding, and as sure, whatever carried it to the reader', async () => {
  expect(await changedByDress(10)).toEqual([]);
});
