import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApiServerStandin } from '../src/standins/api-server/create-api-server-standin.ts';
import { podMetrics } from '../src/standins/api-server/objects/surroundings.ts';
import { cudaOomWorld } from '../src/standins/scenarios/scenarios.ts';
import { makeCertificate } from '../test/fakes/certificate.ts';
import { addOthers } from './stage.ts';

// An API server that speaks TLS, in a process of its own; prints the folder with its kubeconfig, and ends with its standard input.
const world = cudaOomWorld(Date.now());
addOthers(world, Number(process.argv[2]));
const pod = world.objects.find(({ kind }) => kind === 'Pod');
if (pod !== undefined) world.objects.push(podMetrics(pod, { vllm: '12Gi' }, Date.now()));
const folder = mkdtempSync(join(tmpdir(), 'oom-bench-'));
const { keyFile, certFile } = makeCertificate(folder, 'standin');
const cert = readFileSync(certFile);
const api = await createApiServerStandin(world, { tls: { key: readFileSync(keyFile), cert }, token: 'bench' });
writeFileSync(join(folder, 'kubeconfig.yaml'), kubeconfigFor(api.url));
console.log(folder);
process.stdin.on('end', async () => {
  await api.close();
  rmSync(folder, { recursive: true, force: true });
});
process.stdin.resume();

function kubeconfigFor(server: string): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'bench', cluster: { server, 'certificate-authority-data': cert.toString('base64') } }],
    users: [{ name: 'oncall', user: { token: 'bench' } }],
    contexts: [{ name: 'bench', context: { cluster: 'bench', user: 'oncall' } }],
    'current-context': 'bench',
  });
}
