import { expect, it } from 'vitest';
import type { Signature } from '../../../src/model/signature.ts';
import { SIGNATURES } from '../../playbooks/shipped.ts';
import { verdictOfFiles } from '../incident.ts';

const FILES: Readonly<Record<string, string>> = {
  kernel: 'kernel.txt',
  'k8s-event': 'describe.txt',
  'k8s-status': 'describe.txt',
};
/** Causes that no time of life changes. */
const TIMELESS = /^(?:none\..*|host\.(?:node-pressure|shm))$/;

// A hint of an event needs the container that it is about.
const TELLING = SIGNATURES.filter(
  ({ weight, plane, where }) =>
    weight !== 'context' && plane !== 'unknown' && (where !== 'k8s-event' || weight !== 'hint'),
);

/** Whether the first line of a signature, as all that there is, comes to what the signature says. */
async function comesTrue({ where, must, plane, causes }: Signature): Promise<boolean> {
  const verdict = await verdictOfFiles({ [FILES[where] ?? 'previous.log']: `${must[0]}\n` });
  const planes = new Set([plane, ...causes.map((cause) => cause.split('.')[0])]);
  const [cause, ...others] = causes;
  const isFixed = cause !== undefined && others.length === 0 && TIMELESS.test(cause);
  return planes.has(verdict.plane) && (!isFixed || verdict.cause === cause);
}

it('the line of a signature alone comes to the memory and the cause that the signature names', async () => {
  const untrue: string[] = [];
  for (const signature of TELLING) if (!(await comesTrue(signature))) untrue.push(signature.id);

  expect(untrue).toEqual([]);
}, 60_000);
