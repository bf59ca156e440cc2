import { testOwners } from './every-owner.ts';

testOwners(() => true);
