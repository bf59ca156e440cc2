import { delimiter } from 'node:path';
import { z } from 'zod';
import { readYaml } from './yaml-file.ts';

const Context = z.looseObject({
  name: z.string(),
  context: z.looseObject({ namespace: z.string().min(1).optional() }),
});
const Kubeconfig = z.looseObject({
  'current-context': z.string().optional(),
  contexts: z.array(z.unknown()).optional(),
});
const USUAL_PLACE = '~/.kube/config';

type ReadText = (path: string) => string | undefined;

/** A context of the kubeconfig; `namespace` where it names one. */
export type KubeContext = { readonly name: string; readonly namespace: string | undefined };

/** The context of that name, else the current one; of a list of files the first that has it counts, as for kubectl. */
export function readContext(
  kubeconfig: string | undefined,
  context: string | undefined,
  readText: ReadText,
): KubeContext | undefined {
  const files = (kubeconfig || USUAL_PLACE).split(delimiter).flatMap((path) => {
    const text = path === '' ? undefined : readText(path);
    const read = text === undefined ? undefined : readYaml(text);
    const parsed = read?.kind === 'ok' ? Kubeconfig.safeParse(read.file.value).data : undefined;
    return parsed === undefined ? [] : [parsed];
  });
  const name = context ?? files.map((file) => file['current-context']).find((one) => one);
  if (name === undefined) return undefined;
  const all = files.flatMap(({ contexts = [] }) => contexts.flatMap((one) => Context.safeParse(one).data ?? []));
  return { name, namespace: all.find((one) => one.name === name)?.context.namespace };
}

/** A cluster named after the current context of the kubeconfig, in letters that a name may have; undefined where there is none. */
export function nameOfContext(kubeconfig: string | undefined, readText: ReadText): string | undefined {
  const current = readContext(kubeconfig, undefined, readText);
  return current && shortName(current.name);
}

/** A context in letters that the name of a cluster may have: `arn:aws:eks:eu-west-1:123456789012:cluster/prod` is `prod`. */
export function shortName(context: string): string | undefined {
  const last = context.split('/').findLast((part) => part !== '') ?? '';
  const name = last
    .toLowerCase()
    .replace(/[^a-z0-9.-]+/g, '-')
    .slice(0, 63);
  return name.replace(/^[-.]+|[-.]+$/g, '') || undefined;
}
