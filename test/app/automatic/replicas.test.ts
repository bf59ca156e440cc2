import { openTwo } from './open-two.ts';
import { replicasContract } from './replicas.ts';
import { thawedContract } from './thawed.ts';

replicasContract('one SQLite file', openTwo);
thawedContract('one SQLite file', openTwo);
