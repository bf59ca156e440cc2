import { testOwners } from './every-owner.ts';

const ONE_OF_EACH_SHAPE = ['Deployment', 'LeaderWorkerSet', 'InferenceService (Serverless)', 'Workspace'];

testOwners(({ name }) => ONE_OF_EACH_SHAPE.includes(name));
