import { delimiter } from 'node:path';
import { z } from 'zod';
import { readYaml } from './yaml-file.ts';

const Kubeconfig = z.looseObject({ 'current-context': z.string().min(1) });
const USUAL_PLACE = '~/.kube/config';

/** A cluster named after the current context of the kubeconfig, in letters that a name may have; undefined where there is none. */
export function nameOfContext(
  kubeconfig: string | undefined,
  readText: (path: string) => string | undefined,
): string | undefined {
  for (const path of (kubeconfig || USUAL_PLACE).split(delimiter)) {
    const text = readText(path);
    const read = text === undefined ? undefined : readYaml(text);
    const found = read?.kind === 'ok' ? Kubeconfig.safeParse(read.file.value).data : undefined;
    if (found !== undefined) return shortName(found['current-context']);
  }
  return undefined;
}

// `arn:aws:eks:eu-west-1:123456789012:cluster/prod`
function shortName(context: string): string | undefined {
  const last = context.split('/').findLast((part) => part !== '') ?? '';
  const name = last
    .toLowerCase()
    .replace(/[^a-z0-9.-]+/g, '-')
    .slice(0, 63);
  return name.replace(/^[-.]+|[-.]+$/g, '') || undefined;
}
