import { describe, expect, it } from 'vitest';
import { valueAt } from '../../../src/model/json-patch.ts';
import { refuse } from '../../../src/standins/api-server/objects/status.ts';
import type { Admission } from '../../../src/standins/api-server/write/write-request.ts';
import { type OwnerLab, openOwner, SHORTER } from './owners/owner-lab.ts';

const argsOf = (object: unknown): string[] => valueAt(object, '/spec/template/spec/containers/0/args') as string[];

/** A webhook of a platform team that knows better. */
const atLeast16k: Admission = (object) => {
  const args = argsOf(object);
  const at = args.indexOf('8192');
  if (at >= 0) args[at] = '16384';
  return undefined;
};

const timedOut: Admission = () =>
  refuse(
    500,
    'InternalError',
    'Internal error occurred: failed calling webhook "slow.example.test": context deadline exceeded',
  );

const kept = ({ standin }: OwnerLab) =>
  standin.writes.filter(({ dryRun, outcome }) => !dryRun && outcome === 'applied');

describe('a webhook that changes the value', () => {
  it('is met before there is a button: the plan is refused with both values', async () => {
    const lab = await openOwner('Deployment');
    lab.standin.cluster.admission.push(atLeast16k);

    const made = await lab.plan('set-args', SHORTER);

    const says = expect.stringMatching(/An admission webhook changes this value: .*8192.* and is .*16384/);
    expect(made).toMatchObject({ kind: 'refused', says, paste: expect.stringContaining('kubectl') });
  });

  it('that came after the plan ends the run with both values, and is left alone on the way back', async () => {
    const lab = await openOwner('Deployment');
    const plan = await lab.planned('set-args', SHORTER);
    lab.standin.cluster.admission.push(atLeast16k);

    const run = await lab.carryOut(plan);
    const count = kept(lab).length;
    const back = await lab.takeBack(run);

    expect(run).toMatchObject({
      state: 'failed',
      outcome: expect.stringMatching(/^Stopped at a change by someone else: .*8192.*16384/),
    });
    expect(back).toMatchObject({ state: 'failed', outcome: expect.stringContaining('Rollback stopped') });
    expect(kept(lab)).toHaveLength(count);
  });
});

describe('a webhook that does not answer', () => {
  it('is named where a plan is tried', async () => {
    const lab = await openOwner('Deployment');
    lab.standin.cluster.admission.push(timedOut);

    const made = await lab.plan('set-args', SHORTER);

    expect(made).toMatchObject({
      kind: 'refused',
      says: expect.stringContaining('failed calling webhook "slow.example.test"'),
    });
  });

  it('is waited for by a run, which names it meanwhile and goes on after', async () => {
    const lab = await openOwner('Deployment');
    lab.heal();
    const plan = await lab.planned('set-args', SHORTER);
    lab.standin.cluster.admission.push(timedOut);
    const seen = new Set<string>();
    lab.onTime = () => {
      void lab.store.openRuns().then((runs) => {
        for (const { message } of runs.flatMap(({ steps }) => steps)) seen.add(message);
      });
      if ([...seen].some((message) => message.includes('slow.example.test'))) {
        lab.standin.cluster.admission.splice(lab.standin.cluster.admission.indexOf(timedOut), 1);
      }
    };

    const run = await lab.carryOut(plan);

    expect(run.state).toBe('done');
    expect([...seen].join('\n')).toContain('failed calling webhook "slow.example.test"');
    expect(kept(lab).filter(({ body }) => JSON.stringify(body).includes('8192'))).toHaveLength(1);
  });
});

it('a right that the review grants and the write lacks is a refusal of the step, in the words of the API server', async () => {
  const lab = await openOwner('Deployment');
  const plan = await lab.planned('set-args', SHORTER);
  lab.standin.cluster.admission.push(() =>
    refuse(403, 'Forbidden', 'deployments.apps "vllm" is forbidden: by another authorizer'),
  );

  const run = await lab.carryOut(plan);

  expect(run).toMatchObject({ state: 'failed', outcome: expect.stringContaining('by another authorizer (403)') });
  expect(kept(lab)).toEqual([]);
});

it('a kind that is gone with its definition is told as gone', async () => {
  const lab = await openOwner('LeaderWorkerSet');
  const plan = await lab.planned('scale-to-zero');
  lab.standin.faults.on('/apis/leaderworkerset.x-k8s.io', { kind: 'body', status: 404, text: '404 page not found\n' });

  const run = await lab.carryOut(plan);

  expect(run).toMatchObject({ state: 'aborted', outcome: expect.stringMatching(/LeaderWorkerSet\/vllm is gone/) });
});
