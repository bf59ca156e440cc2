import { QUICK, testOwners } from './every-owner.ts';

testOwners(({ name }) => !QUICK.includes(name));
