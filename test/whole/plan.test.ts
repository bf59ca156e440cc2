import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { kvRoomWorld, SCENARIO_POD } from '../../src/standins/scenarios/scenarios.ts';
import { vpaLimitWorld } from '../../src/standins/scenarios/vpa-world.ts';
import { runOom, type Typed } from '../fakes/terminal.ts';
import { type Stage, setStage } from './stage.ts';

const POD = `${SCENARIO_POD.namespace}/${SCENARIO_POD.pod}`;
let stage: Stage;

beforeEach(async () => {
  stage = await setStage(kvRoomWorld(Date.now()));
});
afterEach(() => stage.close());

const oom = (...words: string[]): Promise<Typed> => runOom(['--config', stage.file, ...words]);

describe('what only the running bot does', () => {
  it.each(['approve', 'reject', 'rollback', 'abort', 'pause', 'resume'])(
    'oom %s says so, and ends with 5',
    async (verb) => {
      const { code, err } = await oom(verb, 'plan_1', '--confirm=vllm-server');

      expect(code).toBe(5);
      expect(err).toMatch(/needs the running bot[\s\S]*in Slack/);
    },
  );
});

describe('oom plan', () => {
  it('prints difference, steps, commands and the way back for a pod, and changes nothing', async () => {
    const { code, out } = await oom('plan', POD);

    expect(code).toBe(0);
    expect(out).toMatch(
      /^. Proposed: restart vllm-server with --max-model-len 24736 · llm · prod · nothing is changed\s+Impact: /,
    );
    expect(out).toMatch(/-\s+- "131072"\n\+\s+- "24736"/);
    expect(out).toMatch(
      /Steps[\s\S]*1\. set rolling update of Deployment\/vllm-server to replace one replica at a time[\s\S]*2\. change Deployment\/vllm-server: --max-model-len 131072 -> 24736/,
    );
    expect(out).toMatch(
      /Commands, in this order\nkubectl [\s\S]*"24736"[\s\S]*Rollback commands\n[\s\S]*kubectl [^\n]*"131072"/,
    );
    // By hand as by the button: the settings of the roll-out go back only once it is through, on both ways.
    const waits =
      /kubectl -n llm rollout status deployment\.apps\/vllm-server --timeout=\w+(?: &&|;) kubectl -n llm patch [^\n]*strategy/g;
    expect(out.match(waits)).toHaveLength(2);
    expect(out).toMatch(/Rollback commands\n[\s\S]*"131072"[^\n]*\n[^\n]*rollout status/);
    expect(stage.api.writes).toEqual([]);
    expect(stage.api.requests.every(({ method }) => method === 'GET')).toBe(true);
  });

  it('plans a stored incident, with an action and values of one’s own', async () => {
    await oom('triage', POD);
    const [incident] = (await oom('status', '--json')).out.split('\n').map((line) => JSON.parse(line));

    const { code, out } = await oom('plan', incident.id, 'set-args', '--max-model-len=16384', '--json');

    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      kind: 'plan',
      plan: { action: 'set-args', edits: [{ flag: '--max-model-len', from: '131072', to: '16384' }] },
    });
  });

  it('takes a namespace by its option, as triage does', async () => {
    expect(await oom('plan', SCENARIO_POD.pod, '-n', 'llm', 'scale-to-zero')).toMatchObject({ code: 0 });
  });

  it('says that a VPA overwrites a memory limit, and how it is turned off', async () => {
    await stage.close();
    stage = await setStage(vpaLimitWorld(Date.now()), 'acting: { maxMemory: 256Gi }');

    const { out } = await oom('plan', POD, 'raise-ram', '--memory=48GiB');

    const off = `kubectl -n llm patch verticalpodautoscaler.autoscaling.k8s.io/vllm-vpa --type=merge -p='{"spec":{"updatePolicy":{"updateMode":"Off"}}}'`;
    expect(out).toContain('VPA vllm-vpa overwrites the memory limit of new pods: they do not get the one set here.');
    expect(out.replace(/\s+/g, ' ')).toContain(`Turn it off first: ${off}`);
    expect((await oom('plan', POD, 'scale-to-zero')).out).not.toContain('VPA');

    await stage.close();
    stage = await setStage(vpaLimitWorld(Date.now()));
    // Without `acting.maxMemory` a person makes the change by hand.
    expect((await oom('plan', POD, 'raise-ram', '--memory=48GiB')).err).toContain('VPA vllm-vpa overwrites');
  });

  it.each([
    [['plan', POD, 'set-args', '--max-model-len=999999'], 1, /999999 is not between/],
    [['plan', POD, 'dance'], 2, /dance. is not an action/],
    [['plan', 'inc_unknown'], 3, /No evidence of incident inc_unknown/],
    [['plan', 'llm/vllm-srver-7d8f6f9c6b-4mnl2'], 3, /Did you mean/],
  ] as const)('%j ends with %i and says why', async (words, code, says) => {
    const answer = await oom(...words);

    expect(answer.err).toMatch(says);
    expect(answer.code).toBe(code);
  });

  it('prints no secret of the workload and no sign that a terminal obeys, and says what is left out', async () => {
    const secret = 'hunter2hunter2';
    for (const object of stage.api.world.objects) addArgs(object, ['--api-key', secret, 'a\u009b31mb\u202e']);

    const { code, out } = await oom('plan', POD);
    const json = await oom('plan', POD, '--json');

    expect(code).toBe(0);
    expect(out).toMatch(/Commands, in this order[\s\S]*"--api-key","\[redacted:[\s\S]*Secrets are hidden/);
    expect(out + json.out).not.toContain(secret);
    expect(out).not.toMatch(/[\u009b\u202e]/);
  });

  it('says which right is missing where the workload may not be read', async () => {
    stage.api.world.denied.push({ verb: 'get', resource: 'deployments' });

    const { code, out, err } = await oom('plan', POD);

    expect(code).toBe(1);
    expect(err).toMatch(/no permission to read Deployment\/vllm-server/);
    expect(out).toMatch(/deployments/);
  });
});

function addArgs(value: unknown, more: readonly string[]): void {
  if (typeof value !== 'object' || value === null) return;
  if ('args' in value && Array.isArray(value.args)) value.args.push(...more);
  for (const child of Object.values(value)) addArgs(child, more);
}
