import { ONE_OF_EACH_SHAPE, testOwners } from './every-owner.ts';

testOwners(({ name }) => ONE_OF_EACH_SHAPE.includes(name));
