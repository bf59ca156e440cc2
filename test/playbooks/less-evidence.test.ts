import { join } from 'node:path';
import { expect, it } from 'vitest';
import { raisedByLess } from '../../scripts/corpus/less-evidence.ts';
import { diagnoseSource } from '../../src/app/triage/diagnose.ts';
import { readFolder } from '../../src/folder/read-folder.ts';
import { COMPILED_SIGNATURES, INCIDENTS, judge, PLAYBOOKS } from './shipped.ts';

const isLong = process.env.OOM_TEST_LONG !== undefined;

it('files that are taken away never make a verdict more certain', async () => {
  const found: string[] = [];
  for (const name of INCIDENTS) {
    const source = await readFolder(join(PLAYBOOKS, 'oom/incidents', name));
    const raised = await raisedByLess(
      source,
      (part) => diagnoseSource(part, { signatures: COMPILED_SIGNATURES, judge }),
      isLong,
    );
    found.push(...raised.map((line) => `${name} ${line}`));
  }

  expect(found).toEqual([]);
});
