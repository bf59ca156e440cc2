import { join } from 'node:path';
import { readPlaybookFiles } from '../../src/folder/playbook-files.ts';
import { PLAYBOOK_PATHS } from '../../src/model/playbook-paths.ts';
import { filesInForce } from '../../src/playbook/merge.ts';
import { parseSignatures } from '../../src/playbook/signatures.ts';
import { withValues } from '../../src/wire/parsed-files.ts';

export const PLAYBOOKS = join(import.meta.dirname, '../../playbooks');

/** The built-in playbook files. */
export const FILES = withValues(await readPlaybookFiles([PLAYBOOKS]));

export const SIGNATURES = parseSignatures(filesInForce(FILES, PLAYBOOK_PATHS.signatures)).signatures;

/** The text of the built-in playbook, without its cases. */
export const PLAYBOOK_TEXT = filesInForce(FILES, PLAYBOOK_PATHS.playbook)
  .map(({ text }) => text)
  .join('\n');
