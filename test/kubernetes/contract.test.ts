import { clusterContract } from '../contracts/cluster.ts';
import { anEdge } from './harness.ts';

clusterContract('API server', (world) => anEdge(world));
