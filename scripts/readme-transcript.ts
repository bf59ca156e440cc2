import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const SHOWN = /(```console\n\$ npx oom (.*)\n)[\s\S]*?```/;

/** The README with the output of the command that its first screen shows. */
export function withTranscript(readme: string): string {
  return readme.replace(SHOWN, (_, head: string, command: string) => {
    const cli = [join(ROOT, 'src/cli.ts'), ...command.split(' ')];
    const env = { ...process.env, npm_command: 'exec', npm_lifecycle_script: 'oom' };
    return `${head}${execFileSync(process.execPath, cli, { cwd: ROOT, encoding: 'utf8', env }).trimEnd()}\n\`\`\``;
  });
}
