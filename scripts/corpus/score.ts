import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { Facts } from '../../src/model/fact.ts';
import { Cause, Phase, Plane } from '../../src/model/taxonomy.ts';
import type { Diagnosis } from '../../src/model/verdict.ts';

const Label = z.object({ plane: Plane, phase: Phase, cause: Cause, alternatives: z.array(Cause).default([]) });

/** The part of incident.json that a measurement compares with; diagnosis never sees it. */
export const Truth = z.object({ engine: z.string().default(''), label: Label, second: Label });
export type Truth = z.infer<typeof Truth>;

/** The labels of a folder; undefined where it has none, as a snapshot of one's own has. */
export async function readTruth(folder: string): Promise<Truth | undefined> {
  try {
    return Truth.parse(JSON.parse(await readFile(join(folder, 'incident.json'), 'utf8')));
  } catch {
    return undefined;
  }
}

export type Labelled = { readonly truth: Truth; readonly diagnosis: Diagnosis; readonly facts: Facts };

export type Scored = Labelled & {
  readonly id: string;
  readonly engine: string;
  /** By the hash of the id: rules are tuned on A, B shows what they are worth. */
  readonly half: 'A' | 'B';
  readonly plane: boolean;
  readonly phase: boolean;
  readonly cause: boolean;
  readonly accepted: boolean;
  readonly harmful: boolean;
  readonly certain: boolean;
  readonly right: boolean;
};

const MEMORY: ReadonlySet<Plane> = new Set<Plane>(['gpu', 'host', 'both']);

/** One incident against its labels. Harmful: certain of a plane that neither reading has, where memory is in play. */
export function score(labelled: Labelled): Scored {
  const { truth, diagnosis } = labelled;
  const { verdict } = diagnosis;
  const { label, second } = truth;
  const parts = {
    plane: verdict.plane === label.plane,
    phase: verdict.phase === label.phase,
    cause: verdict.cause === label.cause,
    accepted: [label.cause, ...label.alternatives, second.cause].includes(verdict.cause),
  };
  const planes = [verdict.plane, label.plane, second.plane];
  const harmful =
    verdict.certain &&
    verdict.plane !== 'unknown' &&
    verdict.plane !== label.plane &&
    verdict.plane !== second.plane &&
    planes.some((plane) => MEMORY.has(plane));
  return {
    ...labelled,
    ...parts,
    id: verdict.id,
    engine: truth.engine,
    half: (createHash('sha256').update(verdict.id).digest()[0] ?? 0) % 2 === 0 ? 'A' : 'B',
    harmful,
    certain: verdict.certain,
    right: Object.values(parts).every(Boolean),
  };
}
