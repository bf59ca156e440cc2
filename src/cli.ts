import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';
import { isOwnFolder } from '../bin/own-folder.mjs';

// In a checkout, reading a thousand TypeScript files takes most of a start. Everything else is loaded after this call.
const folder = fileURLToPath(new URL('../node_modules/.cache/oombot-code', import.meta.url));
if (isOwnFolder(folder)) enableCompileCache(folder);
const { main } = await import('./commands/main.ts');
await main();
