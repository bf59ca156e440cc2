import { describe, expect, it } from 'vitest';
import { OomError } from '../../src/model/errors.ts';
import { type Case, readCases } from '../../src/playbook/cases-format.ts';
import { type CasesReport, type ReadIncident, runCases } from '../../src/playbook/run-cases.ts';
import { CATALOGUES, factsOf, fixture, playbookOf, smallText } from './builders.ts';

const SMALL = fixture('oom/findings/gpu.cases.yaml');

function casesOf(text: string): readonly Case[] {
  const { cases, problems } = readCases({ path: 'c.yaml', text }, CATALOGUES);
  if (problems.length > 0) throw new Error(problems.map(({ message }) => message).join('\n'));
  return cases;
}

const noIncident: ReadIncident = async () => {
  throw new OomError('no-folder', 'no such folder', { next: 'Check the name.' });
};

function run(cases: string, text = smallText(), readIncident = noIncident): Promise<CasesReport> {
  return runCases({ playbook: playbookOf(text), cases: casesOf(cases), readIncident });
}

function differencesOf({ results }: CasesReport): Record<string, readonly string[]> {
  return Object.fromEntries(results.filter((r) => r.differences.length > 0).map((r) => [r.case.name, r.differences]));
}

describe('a file of cases', () => {
  it('lays what is given over the base, and takes away what the case is without', () => {
    const [one] = casesOf(`
base: { gpu.want: 1GiB, death.uptime: 10m, ram.used-share: 0.5, gpu.free: 20MiB }
cases:
  - name: n
    given: { gpu.want: 2GiB, death.uptime: unknown, gpu.free: { unknown: stale } }
    without: [ram.used-share]
    expect: { plane: gpu }
`);

    expect(Object.fromEntries(one?.facts ?? [])).toEqual({
      'gpu.want': { kind: 'known', value: 2 ** 31 },
      'death.uptime': { kind: 'unknown', reason: 'not-in-snapshot' },
      'ram.used-share': { kind: 'unknown', reason: 'not-in-snapshot' },
      'gpu.free': { kind: 'unknown', reason: 'stale' },
    });
  });

  it.each([
    ['a misspelt fact in base', 'base: { gpu.wnt: 1GiB }', '', '1:9 no fact called gpu.wnt, did you mean gpu.want?'],
    ['a misspelt fact in given', '', 'given: { gpu.wnt: 1GiB }', '4:14 no fact called gpu.wnt, did you mean gpu.want?'],
    ['a misspelt fact in without', '', 'without: [gpu.wnt]', '4:15 no fact called gpu.wnt, did you mean gpu.want?'],
    ['a value of another unit', '', 'given: { gpu.want: 5 }', '4:24 gpu.want is a size such as 16GiB, and 5 is not'],
    ['a word the fact never has', '', 'given: { log.stage: loading }', /log\.stage: no value called loading/],
    ['no reason for unknown', '', 'given: { gpu.want: { unknown: lost } }', /lost is not allowed here/],
    ['a misspelt key', '', 'givn: { gpu.want: 1GiB }', /^4:5 no key `givn` here, did you mean `given`\?/],
    ['a change of nothing', '', 'change: [{ file: pod.json, gone: true }]', /^4:13 changes files of/],
    ['a change of no file', '', 'incident: a\n    change: [{ file: notes.md, gone: true }]', /is no file of/],
    ['a change of two kinds', '', 'incident: a\n    change: [{ file: pod.json, gone: true, drop: b }]', /takes one of/],
    ['a change to nothing', '', 'incident: a\n    change: [{ file: pod.json, replace: b }]', /takes one of/],
    ['a path as an incident', '', 'incident: ../../etc', /is the name of a folder under `incidents`/],
  ])('%s is told with its place', (_, base, more, said) => {
    const text = `${base}\ncases:\n  - name: n\n    ${more}\n    expect: { plane: gpu }\n`;

    const { cases, problems } = readCases({ path: 'c.yaml', text }, CATALOGUES);

    const told = problems.map(({ line, column, message }) => `${line}:${column} ${message}`);
    expect(told).toEqual([typeof said === 'string' ? said : expect.stringMatching(said)]);
    expect(cases).toEqual([]);
  });

  const ONE = '{ name: n, expect: { plane: gpu } }';
  it.each([
    ['nothing expected', 'cases: [{ name: n, expect: {} }]', /expects nothing, so it cannot fail/],
    ['a misspelt key', 'cases: [{ name: n, expect: { plan: gpu } }]', /`plan` here, did you mean `plane`\?/],
    ['two of one name', `cases: [${ONE}, ${ONE}]`, /a second case called "n"/],
    ['no cases', 'base: {}', /`cases` is missing here/],
    ['no YAML', 'cases: [', /not readable as YAML/],
  ])('%s is refused', (_, text, said) => {
    expect(readCases({ path: 'c.yaml', text }, CATALOGUES).problems.map((p) => p.message)).toEqual([
      expect.stringMatching(said),
    ]);
  });
});

describe('running cases', () => {
  it('holds for the small playbook and its cases, which meet each branch in all its kinds', async () => {
    const report = await run(SMALL);

    expect(differencesOf(report)).toEqual({});
    expect(report.coverage.untaken()).toEqual([]);
    expect(report.coverage.unreached()).toEqual([]);
    expect(report.coverage.gaps()).toEqual([]);
  });

  it.each([
    ['at-least: $pool-full', 'above: $pool-full', 'exactly on the line counts as full'],
    ['below: $startup-window', 'at-most: $startup-window', 'exactly ten minutes are no longer start-up'],
    ['{ fact: requests.running, is: 0 }', '{ fact: requests.waiting, is: 0 }', 'near miss - someone is running'],
    ['value: 1GiB', 'value: 2GiB', 'near miss - the allocation is large'],
    ['in: [node, unstated]', 'in: [unstated]', 'near miss - the node ran out, not the container'],
    ['does-not-doubt: it needs', 'settles: it needs', 'metrics gone'],
  ])('finds the change from %s to %s', async (from, to, broken) => {
    expect(Object.keys(differencesOf(await run(SMALL, smallText([from, to]))))).toContain(broken);
  });

  it('says what differs, each expectation by itself', async () => {
    const report = await run(`
base: { gpu.oom-logged: true, engine.became-ready: true, gpu.want: 20MiB, prefix-cache.enabled: false }
cases:
  - name: all wrong
    expect:
      path: [gpu, startup]
      finding: gpu-startup
      plane: host
      phase: startup
      cause: host.offload
      certain: true
      not-ruled-out: []
      alternatives: [host.shm]
      offers: [advise]
      says: something else
`);

    expect(differencesOf(report)['all wrong']).toEqual([
      'path: expected gpu > startup, got gpu > edge',
      'finding: expected gpu-startup, got gpu-edge',
      'plane: expected host, got gpu',
      'phase: expected startup, got burst',
      'cause: expected host.offload, got gpu.burst.headroom',
      'certain: expected true, got false',
      'not-ruled-out: expected none, got gpu-pattern/startup',
      'alternatives: expected host.shm, got gpu.startup.weights',
      'offers: expected advise, got none',
      'says: expected "something else" in "A small allocation of 20 MiB failed."',
    ]);
  });

  it('starts from the raw files of an incident as the case changes them, with its facts on top and without the base', async () => {
    const asked: unknown[] = [];
    const readIncident: ReadIncident = async (folder, change) => {
      asked.push([folder, change]);
      return factsOf({
        'gpu.oom-logged': true,
        'engine.became-ready': true,
        'death.uptime': 7200,
        'gpu.want': 2 ** 20,
      });
    };
    const cases = `
base: { engine.became-ready: false }
cases:
  - { name: as it was, incident: vllm-edge, expect: { finding: gpu-edge } }
  - { name: with a change, incident: vllm-edge, given: { gpu.want: 9GiB }, expect: { finding: gpu-unexplained } }
  - { name: without a file, incident: one, change: [{ file: pod.json, gone: true }], expect: { plane: gpu } }
`;

    expect(differencesOf(await run(cases, smallText(), readIncident))).toEqual({});
    expect(asked).toEqual([
      ['vllm-edge', []],
      ['vllm-edge', []],
      ['one', [{ file: 'pod.json', gone: true }]],
    ]);
  });

  it('fails the case of an incident that cannot be read, and runs the rest', async () => {
    const report = await run(`
base: { gpu.oom-logged: false, death.oom-killed: false }
cases:
  - { name: lost, incident: nowhere, expect: { plane: gpu } }
  - { name: still run, expect: { finding: can-not-tell } }
`);

    expect(differencesOf(report)).toEqual({ lost: ['incident nowhere cannot be read: no such folder'] });
  });
});

describe('coverage', () => {
  it('names branches that no case takes, findings that none ends at, and the kinds that are missing', async () => {
    const { coverage } = await run(`
base: { gpu.oom-logged: true, engine.became-ready: false }
cases:
  - { name: hit, expect: { finding: gpu-startup } }
`);

    expect(coverage.untaken().join()).toBe(
      'which-memory/ram,which-memory/otherwise,gpu-pattern/prefix-cache,gpu-pattern/edge,gpu-pattern/otherwise',
    );
    expect(coverage.unreached()).toEqual(expect.arrayContaining(['gpu-prefix-cache', 'can-not-tell']));
    expect(coverage.unreached()).not.toContain('gpu-startup');
    expect(coverage.gaps()).toContainEqual({ branch: 'gpu-pattern/startup', kind: 'on-the-line' });
    expect(coverage.gaps()).not.toContainEqual({ branch: 'which-memory/gpu', kind: 'on-the-line' });
  });

  it('tells the kinds apart', async () => {
    const { coverage } = await run(SMALL);

    const edge = coverage.branches().find(({ branch }) => branch === 'gpu-pattern/edge');
    expect(edge?.cases['on-the-line']).toEqual(['exactly on the line is still small']);
    expect(edge?.cases['near-miss']).toEqual(['near miss - the allocation is large']);
    expect(edge?.cases['evidence-gone']).toEqual(['the size is not in the log']);
    expect(edge?.cases.hit).toContain('metrics gone');
    const startup = coverage.branches().find(({ branch }) => branch === 'gpu-pattern/startup');
    expect(startup?.cases['near-miss']).not.toContain('it never became ready');
    expect(startup?.cases['near-miss']).not.toContain('the time of the line is not known');
  });
});
