import { writeFileSync } from 'node:fs';
import { readPlaybookFiles } from '../src/folder/playbook-files.ts';
import { PLAYBOOK_PATHS } from '../src/model/playbook-paths.ts';
import { readYaml } from '../src/playbook/yaml-source.ts';
import { COMPILED_BY_BUILD, type InForce, writeCompiled } from '../src/wire/compiled-knowledge.ts';
import { CATALOGUES } from '../src/wire/knowledge.ts';
import { hashOf, READ_BY_BUILD, type ReadByBuild } from '../src/wire/parsed-files.ts';
import { playbookDirs } from '../src/wire/playbook-dirs.ts';
import { takeKnowledge } from '../src/wire/take-knowledge.ts';

/** Writes next to a bundle what every built-in file but the cases holds; all of them are sound. */
export async function writeKnowledge(outdir: string): Promise<void> {
  const files = (await readPlaybookFiles(playbookDirs([]))).filter(({ path }) => !PLAYBOOK_PATHS.cases.test(path));
  const knowledge = takeKnowledge(CATALOGUES, files, undefined);
  if (Array.isArray(knowledge)) throw new Error(knowledge.join('\n'));
  const values = files.flatMap((file) => {
    const source = readYaml(file);
    return source.kind === 'read' ? [[hashOf(file.text), source.value]] : [];
  });
  writeFileSync(`${outdir}/${READ_BY_BUILD}`, JSON.stringify(Object.fromEntries(values) satisfies ReadByBuild));
  writeFileSync(`${outdir}/${COMPILED_BY_BUILD}`, writeCompiled(knowledge as InForce));
}
