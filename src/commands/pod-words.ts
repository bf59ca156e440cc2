import type { Command } from 'commander';
import { wrongKindOfId } from '../app/id-kinds.ts';
import { parsePodQuery } from '../app/pod-query.ts';
import type { PodQuery } from '../app/ports.ts';
import { OomError } from '../model/errors.ts';
import { unexpectedWords } from '../report/notices.ts';
import { addKubeOptions, type KubeOptions } from './kube-options.ts';

export type PodOptions = KubeOptions & { readonly namespace?: string; readonly container?: string };

/** `-n`, `-c`, `--context` and `--kubeconfig`, as kubectl has them. */
export function addPodOptions(command: Command): Command {
  return addKubeOptions(command)
    .option('-n, --namespace <namespace>', 'Namespace of the pod (default: from the context, then all)')
    .option('-c, --container <container>', 'Container of the pod');
}

/** The words of a command with its options: both go through the reader of what is typed in Slack. */
export function podWords(words: readonly string[], { namespace, container }: PodOptions): readonly string[] {
  const flag = (name: string, value: string | undefined) => (value === undefined ? [] : [name, value]);
  return [...words, ...flag('-n', namespace), ...flag('-c', container)];
}

/** Words of the command line as one query. Throws OomError `bad-input` where they name no pod. */
export function queryOf(words: readonly string[]): PodQuery {
  const parsed = parsePodQuery(words.join(' '));
  if (parsed.kind === 'query') return parsed.query;
  const other = parsed.kind === 'unclear' ? wrongKindOfId(parsed.word, { wanted: 'pod', command: 'oom' }) : undefined;
  if (other !== undefined) throw new OomError('bad-input', other.says, { next: other.next });
  throw new OomError('bad-input', wrongWords(parsed), {
    next: 'Type `[cluster/][namespace/]pod [container]`, or paste a line of `kubectl get pods`.',
  });
}

function wrongWords(parsed: Exclude<ReturnType<typeof parsePodQuery>, { kind: 'query' }>): string {
  if (parsed.kind === 'empty') return 'Which pod?';
  if (parsed.kind === 'extra') return unexpectedWords(parsed.words);
  return `\u201c${parsed.word}\u201d is not a valid Kubernetes name.`;
}
