import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readCases } from '../../src/playbook/cases-format.ts';
import { KINDS } from '../../src/playbook/coverage.ts';
import { COMPARISONS } from '../../src/playbook/format.ts';
import { runCases } from '../../src/playbook/run-cases.ts';
import { parseSignatures } from '../../src/playbook/signatures.ts';
import { temporaryFolder } from '../fakes/temporary-folder.ts';
import { runOom } from '../fakes/terminal.ts';
import { CATALOGUES, playbookOf, saidAbout } from './builders.ts';

const README = readFileSync(join(import.meta.dirname, '../../playbooks/README.md'), 'utf8');

function block(kind: string): string {
  const found = new RegExp(`\`\`\`yaml ${kind}\n([\\s\\S]*?)\`\`\``).exec(README)?.[1];
  if (found === undefined) throw new Error(`the guide shows no ${kind}`);
  return found;
}

describe('the guide for authors', () => {
  it('shows a playbook that is sound', () => {
    expect(saidAbout(block('playbook'))).toEqual([]);
  });

  it('shows cases that hold for it and take every branch', async () => {
    const { cases, problems } = readCases({ path: 'c.yaml', text: block('cases') }, CATALOGUES);
    const readIncident = async () => new Map();

    const { results, coverage } = await runCases({ playbook: playbookOf(block('playbook')), cases, readIncident });

    expect(problems).toEqual([]);
    expect(results.filter(({ differences }) => differences.length > 0)).toEqual([]);
    expect(coverage.untaken()).toEqual([]);
    expect(coverage.unreached()).toEqual([]);
    const counts = coverage.branches().find(({ branch }) => branch === 'gpu-pattern/prefix-cache')?.cases;
    const row = KINDS.map((kind) => counts?.[kind].length).join(' ');
    expect(README.match(/^gpu-pattern\/prefix-cache .*$/m)?.[0].replace(/ +/g, ' ')).toBe(
      `gpu-pattern/prefix-cache ${row}`,
    );
  });

  it('can be tried with the commands that stand below it', async () => {
    const mine = temporaryFolder();
    mkdirSync(join(mine, 'oom/findings'), { recursive: true });
    writeFileSync(join(mine, 'oom/playbook.yaml'), block('playbook'));
    writeFileSync(join(mine, 'oom/findings/mine.cases.yaml'), block('cases'));
    const commands = [...README.matchAll(/^npx oom (.* --dir mine.*)$/gm)].map((match) => match[1] ?? '');

    const codes = await Promise.all(
      commands.map(async (command) => (await runOom(command.replace('--dir mine', `--dir ${mine}`).split(' '))).code),
    );

    expect(codes).toEqual([0, 0, 0]);
  });

  it('shows a signature that is sound', () => {
    const { signatures, problems } = parseSignatures([{ path: 'p.yaml', text: block('signature') }]);

    expect(problems).toEqual([]);
    expect(signatures.map(({ id }) => id)).toEqual(['acme.kv.refused']);
  });

  it('names every comparison', () => {
    for (const comparison of COMPARISONS) expect(README).toMatch(new RegExp(`\`${comparison}[\`:]`));
  });
});
