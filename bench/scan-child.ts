import { createReadStream } from 'node:fs';
import { readPlaybookFiles } from '../src/folder/playbook-files.ts';
import { PLAYBOOK_PATHS } from '../src/model/playbook-paths.ts';
import { filesInForce } from '../src/playbook/merge.ts';
import { parseSignatures } from '../src/playbook/signatures.ts';
import { compileSignatures } from '../src/read/log/compile.ts';
import { createLogScanner } from '../src/read/log/scanner.ts';

// node bench.mjs PLAYBOOKS LOG -> one line of JSON: ms of the scan alone, hits, peak memory.
const [playbooks = '', logPath] = process.argv.slice(2);
const compiled = compileSignatures(
  parseSignatures(filesInForce(await readPlaybookFiles([playbooks]), PLAYBOOK_PATHS.signatures)).signatures,
);
if (logPath === undefined) {
  console.log(JSON.stringify(compiled.gateLiterals));
} else {
  let peak = 0;
  const began = performance.now();
  const scanner = createLogScanner(compiled, { file: 'previous.log' });
  for await (const chunk of createReadStream(logPath, { highWaterMark: 256 * 1024 })) {
    scanner.push(chunk as Uint8Array);
    peak = Math.max(peak, process.memoryUsage.rss());
  }
  const reading = scanner.finish();
  const ms = performance.now() - began;
  console.log(JSON.stringify({ ms, hits: reading.hits.length, peakMiB: peak / 2 ** 20 }));
}
