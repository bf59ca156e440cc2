import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadKnowledge } from '../../src/wire/knowledge.ts';
import { playbookDirs } from '../../src/wire/playbook-dirs.ts';
import { aSnapshot } from '../playbooks/shipped.ts';

const SHIPPED = playbookDirs([])[0] ?? '';
const LINE = 'A line that only this team writes: out of widgets\n';
const TEAM_SIGNATURE = `- id: team.widgets
  engine: any
  versions: all
  where: log
  plane: host
  phase: any
  causes: []
  weight: strong
  literals: ['out of widgets']
  text: 'only this team writes: out of widgets'
  must: ['A line that only this team writes: out of widgets']
  source: the team
`;

let own: string;
beforeEach(async () => {
  own = await mkdtemp(join(tmpdir(), 'oom-playbooks-'));
});
afterEach(() => rm(own, { recursive: true, force: true }));

const TREE = 'oom/tree/which-memory.yaml';
const builtIn = (path: string) => readFile(join(SHIPPED, path), 'utf8');

async function put(path: string, text: string): Promise<void> {
  await mkdir(join(own, dirname(path)), { recursive: true });
  await writeFile(join(own, path), text);
}

describe('the playbook in force', () => {
  it('is the shipped one where a team has none', async () => {
    const knowledge = await loadKnowledge(playbookDirs([own]));

    const { diagnosis } = await knowledge.diagnose(aSnapshot({}));

    expect(diagnosis.verdict.plane).toBe('unknown');
    expect((await knowledge.reload()).kind).toBe('same');
  });

  it('is taken anew when its file changes to a sound one', async () => {
    const knowledge = await loadKnowledge(playbookDirs([own]));
    const before = (await knowledge.diagnose(aSnapshot({}))).diagnosis;
    await put('oom/thresholds.yaml', (await builtIn('oom/thresholds.yaml')).replace('value: 0.98\n', 'value: 0.97\n'));

    const outcome = await knowledge.reload();

    expect(outcome.kind).toBe('taken');
    const after = (await knowledge.diagnose(aSnapshot({}))).diagnosis;
    expect(after.playbook.hash).not.toBe(before.playbook.hash);
  });

  it.each([
    ['no YAML', (text: string) => `${text}\n  : [`],
    ['an unknown fact', (text: string) => text.replace('fact: pod.pending', 'fact: pod.pendin')],
    ['an unknown key', (text: string) => `${text}\nsurprise: true\n`],
  ])('stays the last good one when its file is wrong: %s', async (_name, spoil) => {
    const knowledge = await loadKnowledge(playbookDirs([own]));
    const before = (await knowledge.diagnose(aSnapshot({}))).diagnosis;
    await put(TREE, spoil(await builtIn(TREE)));

    const outcome = await knowledge.reload();

    expect(outcome.kind).toBe('refused');
    expect(outcome).toMatchObject({
      problems: expect.arrayContaining([expect.stringMatching(/which-memory\.yaml:\d+: /)]),
    });
    expect((await knowledge.diagnose(aSnapshot({}))).diagnosis).toEqual(before);
  });

  it('stays when its folder is gone for a moment, and follows when it is back', async () => {
    await put(TREE, await builtIn(TREE));
    const knowledge = await loadKnowledge(playbookDirs([own]));
    await rm(own, { recursive: true });

    const gone = await knowledge.reload();
    await put(TREE, `${await builtIn(TREE)}\n# edited\n`);
    const back = await knowledge.reload();

    expect(gone.kind).toBe('refused');
    expect(back.kind).not.toBe('refused');
    expect((await knowledge.diagnose(aSnapshot({}))).diagnosis.verdict.plane).toBe('unknown');
  });

  it('that is wrong at the start is a fault that names file and line', async () => {
    await put('oom/playbook.yaml', 'surprise: true\n');

    await expect(loadKnowledge(playbookDirs([own]))).rejects.toMatchObject({
      code: 'bad-playbook',
      message: expect.stringMatching(/playbook\.yaml:\d+: /),
    });
  });

  it('names both files that define one thing', async () => {
    await put('oom/tree/mine.yaml', await builtIn(TREE));

    await expect(loadKnowledge(playbookDirs([own]))).rejects.toMatchObject({
      message: expect.stringMatching(/which-memory\.yaml:\d+: which-memory is already defined in .*mine\.yaml:\d+/),
    });
  });
});

it('the signatures in force are taken with the folder, and kept when the next ones are wrong', async () => {
  const knowledge = await loadKnowledge(playbookDirs([own]));
  const found = () => {
    const scanner = knowledge.scanner();
    scanner.push(new TextEncoder().encode(LINE));
    return scanner.foundCause;
  };
  expect(found()).toBe(false);

  await put('platform/team.yaml', TEAM_SIGNATURE);
  const taken = await knowledge.reload();
  expect([taken.kind, found()]).toEqual(['taken', true]);

  await put('platform/team.yaml', `${TEAM_SIGNATURE}\n- id: Not A Name\n`);
  const refused = await knowledge.reload();
  expect([refused.kind, found()]).toEqual(['refused', true]);
});
