import { readFileSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { startService } from '../../src/main.ts';

// The whole bot as a process that is killed: its configuration as JSON, its port as the one line that it prints.
const service = await startService(JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')));
console.log(JSON.stringify({ port: service.port }));
// One that is killed has no time to leave it to the next.
flushCompileCache();
