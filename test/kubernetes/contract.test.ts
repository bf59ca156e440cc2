import { clusterContract } from '../contracts/cluster.ts';
import { createFakeCluster } from '../fakes/cluster.ts';
import { anEdge } from './harness.ts';

clusterContract('fake', async (world) => ({ cluster: createFakeCluster(world) }));
clusterContract('API server', (world) => anEdge(world));
