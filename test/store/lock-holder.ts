import { lockStore } from '../../src/store/lock-store.ts';

// Takes the lock of a store, says so, and holds it until it is killed.
const [path = ''] = process.argv.slice(2);
lockStore(path);
process.stdout.write('held\n');
process.stdin.resume();
