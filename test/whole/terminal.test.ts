import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { ApiWorld } from '../../src/standins/api-server/objects/world.ts';
import {
  bothAcrossRestartWorld,
  bothInSequenceWorld,
  cudaOomWorld,
  deadEngineWorld,
  healthyWorld,
  kvRoomWorld,
  oomKilledWorld,
  probeKilledWorld,
  SCENARIO_POD,
} from '../../src/standins/scenarios/scenarios.ts';
import { vpaLimitWorld } from '../../src/standins/scenarios/vpa-world.ts';
import { runOom, type Typed } from '../fakes/terminal.ts';
import { type Stage, setStage } from './stage.ts';

const PLACE = `${SCENARIO_POD.namespace}/${SCENARIO_POD.pod}`;
let stage: Stage;

afterEach(() => stage.close());

const oom = (...words: string[]): Promise<Typed> => runOom(['--config', stage.file, ...words]);

describe.each([
  ['RAM', oomKilledWorld, { plane: 'host' }],
  ['GPU memory', cudaOomWorld, { plane: 'gpu', phase: 'burst' }],
  ['no room for the KV cache', kvRoomWorld, { plane: 'gpu', phase: 'startup', cause: 'gpu.startup.kv-room' }],
  ['a probe', probeKilledWorld, { plane: 'none', cause: 'none.probe-kill' }],
  ['both, in sequence', bothInSequenceWorld, { plane: 'both' }],
  [
    'GPU memory, then RAM after the restart',
    (now: number) => bothAcrossRestartWorld('gpu', now),
    { finding: 'both-gpu-burst', plane: 'both', certain: true },
  ],
  [
    'RAM, then GPU memory after the restart',
    (now: number) => bothAcrossRestartWorld('ram', now),
    { finding: 'both-host-burst', plane: 'both', certain: true },
  ],
  ['nothing: all is well', healthyWorld, { finding: 'none-healthy', certain: true, causeCertain: true }],
] as const)('what died of %s', (_name, world, verdict) => {
  it('gets the same verdict from the cluster and from the collected folder', async () => {
    stage = await setStage(world(Date.now()));
    const folder = join(stage.folder, 'incident');

    const triaged = await oom('triage', PLACE, '--json', '--no-store');
    const collected = await oom('collect', PLACE, '-o', folder);
    const diagnosed = await oom('diagnose', folder, '--json');

    expect([triaged.code, collected.code, diagnosed.code]).toEqual([0, 0, 0]);
    expect(collected.err).toMatch(/^no data: [a-z]\S*.*: [A-Za-z]/m);
    expect(collected.err).not.toMatch(/\((?:empty|stale)\)/);
    const { id: _one, ...live } = JSON.parse(triaged.out);
    const { id: _other, ...saved } = JSON.parse(diagnosed.out);
    expect(live).toMatchObject(verdict);
    expect(saved).toEqual(live);
  });
});

describe.each<[string, (now: number) => ApiWorld, readonly RegExp[]]>([
  [
    'a rollout that cut the memory limit',
    oomKilledWorld,
    [
      /^✖ OOMKilled: \S+ hit its 32 GiB memory limit while serving/,
      /^Cause: The rollout at (?:\S+ )?\d\d:\d\d UTC \(56 min earlier, by helm\) cut the memory limit from 64Gi\sto 32Gi\.$/m,
      /^Do now: Roll back that rollout\. Or: Set resources\.limits\.memory 32Gi → 48Gi\.$/m,
      /^· revisions\.json resources\.limits\.memory=32Gi$/m,
      /^Confidence: high on RAM, likely on the cause/m,
    ],
  ],
  [
    'a VPA that cut the memory limit, whatever a rollout did',
    vpaLimitWorld,
    [
      /^✖ OOMKilled: \S+ hit its 20 GiB memory limit while serving/,
      /^Cause: VPA vllm-vpa set the memory limit to 20 GiB \(the template says 32 GiB\)\.$/m,
      /^Do now: Turn that VPA off, then delete the pod\.$/m,
      /^kubectl patch vpa vllm-vpa -n llm --type=merge -p '{"spec":{"updatePolicy":{"updateMode":"Off"} } }'$/m,
      /^· pod\.json metadata\.annotations\.vpaUpdates=Pod resources updated by vllm-vpa: /m,
    ],
  ],
  [
    'a dead engine',
    deadEngineWorld,
    [
      /^✖ Engine dead, pod still Ready: \S+ answers 500 and still gets traffic/,
      /^Cause: CUDA OOM at \d\d:\d\d UTC stopped the engine core; \/health still returns 200\./m,
      /^Do now: Take the pod out of its Service and restart it\. Then: Set --gpu-memory-utilization/m,
      /^· current\.log:\d+ EngineCore encountered a fatal error\.$/m,
      /^Confidence: high/m,
    ],
  ],
  [
    'both in sequence',
    bothInSequenceWorld,
    [
      /^✖ CUDA OOM, then OOMKilled: /,
      /^Cause: GPU memory ran out while serving at \d\d:\d\d UTC, then container RAM at \d\d:\d\d UTC\./m,
      /^Do now: Set --gpu-memory-utilization .*Then check that a memory limit of 24 GiB covers\smodel loading\./m,
      /^Confidence: high on both memories/m,
    ],
  ],
  [
    'RAM, then the GPU after a restart',
    (now) => bothAcrossRestartWorld('ram', now),
    [
      /^✖ OOMKilled, then CUDA OOM: /,
      /^Cause: Container RAM ran out while serving at \d\d:\d\d UTC, then GPU memory at \d\d:\d\d UTC\./m,
      /^Do now: Set resources\.limits\.memory 24Gi → 36Gi\. Then run nvidia-smi on the node/m,
      /^RAM no data \(limit 24 GiB\) · GPU memory/m,
    ],
  ],
])('the card of %s', (_name, world, lines) => {
  it('reads the same from the cluster and from the collected folder', async () => {
    stage = await setStage(world(Date.now()));
    const folder = join(stage.folder, 'incident');
    await oom('collect', PLACE, '-o', folder);

    for (const words of [
      ['triage', PLACE, '--no-store'],
      ['diagnose', folder],
    ]) {
      const { out } = await oom(...words);
      for (const line of lines) expect(out).toMatch(line);
      expect(out.trimEnd().split('\n').length).toBeLessThanOrEqual(12);
    }
  });
});

it('tells of a healthy pod in two lines, from the cluster and from a folder', async () => {
  stage = await setStage(healthyWorld(Date.now()));
  const folder = join(stage.folder, 'incident');
  await oom('collect', PLACE, '-o', folder);

  for (const words of [
    ['triage', PLACE],
    ['diagnose', folder],
  ]) {
    const { out } = await oom(...words);
    expect(out.split('→')[0]?.trimEnd().split('\n')).toEqual([
      expect.stringMatching(/^✔ Healthy: \S+ is ready, 0 restarts, serving \d+ requests/),
      expect.stringMatching(/^RAM .* · GPU memory .*KV pool \d+%, normal\) · Confidence: high$/),
    ]);
  }
});

describe('the terminal', () => {
  it('keeps a finding, lists it and explains it', async () => {
    stage = await setStage(oomKilledWorld(Date.now()));

    const triaged = await oom('triage', PLACE);
    const status = await oom('status', '--json');
    const explained = await oom('explain', JSON.parse(status.out).id);

    expect(triaged.out).toMatch(/RAM/);
    expect(JSON.parse(status.out)).toMatchObject({ plane: 'host', workload: 'Deployment/vllm-server', seen: 1 });
    expect(explained).toMatchObject({ code: 0 });
    expect(explained.out).toMatch(/^✖ OOMKilled: llm\/vllm-server hit/);
    for (const name of ['vllm-server', 'llm/vllm-server']) expect(await oom('explain', name)).toEqual(explained);
    expect(await oom('fix', 'llm/vllm-server')).toMatchObject({ code: 0 });
  });

  it('shows the failure of a resolved incident whose pod is not ready', async () => {
    stage = await setStage(oomKilledWorld(Date.now()));
    await oom('triage', PLACE);
    await oom('resolve', PLACE.replace(/-[^-]+-[^-]+$/, ''), 'fixed');

    const { out } = await oom('triage', PLACE);

    expect(out).toMatch(/^✖ OOMKilled: /);
    expect(out).toMatch(/^Resolved by \S+ at \d\d:\d\d UTC, but the pod has not been ready since\.$/m);
    expect(out).toMatch(/^Do now: /m);
  });

  it('says that a pod is gone and which pod the finding is about', async () => {
    stage = await setStage(oomKilledWorld(Date.now()));
    const gone = 'vllm-server-6b8c9d7f5-k2x4p';

    const { out, code } = await oom('triage', `llm/${gone}`);

    expect(code).toBe(0);
    expect(out).toContain(`: ${PLACE} `);
    expect(out.replaceAll('\n', ' ')).toContain(`${gone} is gone, this is its replacement`);
  });

  it('takes secrets and prompts out before anything is written', async () => {
    const world = oomKilledWorld(Date.now());
    const secret = 'hf_abcdefghijklmnopqrstuvwxyz012345';
    for (const log of world.logs) {
      const text = `INFO using token ${secret} Authorization: Bearer ${secret}`;
      if (Array.isArray(log.lines)) log.lines.push({ at: Date.now() - 300_000, text });
    }
    stage = await setStage(world);
    const folder = join(stage.folder, 'incident');

    await oom('collect', PLACE, '-o', folder);

    const all = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
    expect(all.join('\n')).toContain('[redacted:');
    expect(all.join('\n')).not.toContain(secret);
  });

  it('shows no secret of a folder made by hand', async () => {
    stage = await setStage(cudaOomWorld(Date.now()));
    const folder = join(stage.folder, 'by-hand');
    const secret = 'hf_abcdefghijklmnopqrstuvwxyz012345';
    mkdirSync(folder);
    const line = `token=${secret} RuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB\n`;
    writeFileSync(join(folder, 'previous.log'), line);

    const words = [['diagnose'], ['diagnose', '--json'], ['explain']];
    const shown = await Promise.all(words.map((some) => oom(...some, folder)));

    for (const { out } of shown) {
      expect(out).toContain('CUDA out of memory');
      expect(out).not.toContain('abcdefghijkl');
    }
  });

  it.each([
    ['a pod that is not there', ['triage', 'llm/nosuch-pod-1'], 3, /No pod nosuch-pod-1, and no similar name\./],
    ['no word at all', ['triage'], 2, /missing required argument/],
    ['a word that is no name', ['triage', '<!channel>'], 2, /not a valid Kubernetes name/],
    ['too many words', ['triage', PLACE, 'vllm', 'is', 'down'], 2, /“is down” after the pod[\s\S]*pod \[container\]/],
    ['too many words for a budget', ['budget', PLACE, 'vllm', 'now'], 2, /“now” after the pod/],
    ['words behind an incident', ['explain', 'inc_1', 'now'], 2, /“now” after the incident[\s\S]*oom explain inc_1/],
    ['words behind a change', ['changes', 'patch', 'chg_1', 'now'], 2, /“now” after the change[\s\S]*patch chg_1`/],
    ['an unknown command', ['dance'], 2, /unknown command/],
    ['a namespace that may not be read', ['triage', 'kube-system/x-0'], 4, /not in `?clusters/],
    ['an incident that is not there', ['explain', 'inc_nosuch'], 3, /No incident/],
    ['a folder that is not there', ['explain', './nosuch'], 2, /no file or folder/i],
  ])('answers %s with words and a code', async (_name, words, code, says) => {
    stage = await setStage(cudaOomWorld(Date.now()));
    await oom('triage', PLACE);

    const answer = await oom(...words);

    expect(answer).toMatchObject({ code });
    expect(answer.err).toMatch(says);
  });

  it('names the missing right, ready to paste', async () => {
    const world = cudaOomWorld(Date.now());
    world.denied.push({ resource: 'pods', namespace: 'llm' });
    stage = await setStage(world);

    const { code, err } = await oom('triage', PLACE);

    expect(code).toBe(4);
    expect(err).toMatch(/kind: Role/);
  });

  it('prints the rest when one argument of diagnose is no folder', async () => {
    stage = await setStage(cudaOomWorld(Date.now()));
    const folder = join(stage.folder, 'incident');
    await oom('collect', PLACE, '-o', folder);

    const { code, out, err } = await oom('diagnose', 'nosuch', folder, '--json');

    expect(code).toBe(2);
    expect(err.split('\n')).toHaveLength(1);
    expect(JSON.parse(out).plane).toBe('gpu');
  });

  it('checks its configuration', async () => {
    stage = await setStage(cudaOomWorld(Date.now()));

    const { code, out } = await oom('config', 'check');

    expect(code).toBe(0);
    expect(out).toContain('***');
    expect(out).not.toContain('xoxb-test');
  });
});
