import { expect, it } from 'vitest';
import { snapshotSource } from '../../src/snapshot/source.ts';
import {
  bothInSequenceWorld,
  cudaOomWorld,
  kvRoomWorld,
  oomKilledWorld,
  probeKilledWorld,
  SCENARIO_POD,
} from '../../src/standins/scenarios/scenarios.ts';
import { loadKnowledge, playbookDirs } from '../../src/wire/knowledge.ts';
import { aReadContext } from '../fakes/read-context.ts';
import { anEdge, findPod } from '../kubernetes/harness.ts';

const knowledge = await loadKnowledge(playbookDirs([]));

it.each([
  ['oomKilledWorld', oomKilledWorld, { plane: 'host' }],
  ['cudaOomWorld', cudaOomWorld, { plane: 'gpu', phase: 'burst' }],
  ['kvRoomWorld', kvRoomWorld, { plane: 'gpu', phase: 'startup', cause: 'gpu.startup.kv-room' }],
  ['probeKilledWorld', probeKilledWorld, { plane: 'none', cause: 'none.probe-kill' }],
  ['bothInSequenceWorld', bothInSequenceWorld, { plane: 'both' }],
])('%s is judged as what it is, from the API server to the verdict', async (_name, makeWorld, expected) => {
  const edge = await anEdge(makeWorld());
  const target = await findPod(edge, SCENARIO_POD.pod);

  const { files } = await edge.cluster.collect(target, aReadContext(), { scanner: knowledge.scanner });

  const { diagnosis } = await knowledge.diagnose(snapshotSource({ id: 'snap', files: { ...files } }));
  expect(diagnosis.verdict).toMatchObject(expected);
});
