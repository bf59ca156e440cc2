import type { PodQuery } from './ports.ts';

type ParsedQuery =
  | { readonly kind: 'query'; readonly query: PodQuery }
  | { readonly kind: 'empty' }
  | { readonly kind: 'unclear'; readonly word: string }
  /** `words` are left over behind the pod and its container. */
  | { readonly kind: 'extra'; readonly words: string; readonly query: PodQuery };

const NAME = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/;
const CLUSTER = /^[A-Za-z0-9][\w.:@-]{0,200}$/;
const CONTAINER = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;
const READY_COLUMN = /^\d+\/\d+$/;
const KUBECTL_WORDS = new Set([
  'kubectl',
  'k',
  'oc',
  'logs',
  'log',
  'describe',
  'get',
  'top',
  'delete',
  'pod',
  'pods',
  'po',
]);
const VALUE_FLAGS: Readonly<Record<string, 'namespace' | 'container' | 'cluster'>> = {
  '-n': 'namespace',
  '--namespace': 'namespace',
  '-c': 'container',
  '--container': 'container',
  '--context': 'cluster',
  '--cluster': 'cluster',
};

// Of a pasted kubectl line: their values name no container.
const OTHER_VALUE_FLAGS = new Set(['-o', '--output', '--tail', '--since', '--since-time', '--kubeconfig']);

type Draft = { cluster?: string; namespace?: string; pod?: string; container?: string };

/** `/oom triage` as people paste it: `[cluster/][namespace/]pod [container]`, `pod/x`, `-n ns`, a kubectl line, or a row of `kubectl get pods`. */
export function parsePodQuery(text: string): ParsedQuery {
  const words = splitWords(text);
  if (words.length === 0) return { kind: 'empty' };
  const draft: Draft = {};
  const rest = takeFlags(words, draft);
  const row = takeTableRow(rest);
  const places = row ?? rest.filter((word, i) => !(i < 3 && KUBECTL_WORDS.has(word)) && !word.startsWith('-'));
  if (row === undefined) {
    const extra = takePlaces(places, draft).join(' ');
    const checked = check(draft);
    return checked.kind === 'query' && extra !== '' ? { ...checked, kind: 'extra', words: extra } : checked;
  }
  takeRow(row, draft);
  return check(draft);
}

// Phones and Slack turn -- into a long dash, quotes into curly ones, and host-like names into links.
function splitWords(text: string): string[] {
  return text
    .replace(/<(?:https?|mailto):[^|>]*\|([^>]*)>/g, '$1')
    .replace(/<https?:\/\/([^>|]*)>/g, '$1')
    .replace(/(^|\s)[\u2013\u2014](?=[a-z])/gi, '$1--')
    .replace(/[\u2010-\u2015\u2212]/g, '-')
    .replace(/[`'"\u2018\u2019\u201c\u201d\u00ab\u00bb*]/g, ' ')
    .replace(/[\u200b\ufeff\u00a0]/g, ' ')
    .split(/\s+/)
    .map((word) => word.replace(/^[([{]+|[)\]},;:.!?]+$/g, ''))
    .filter((word) => word !== '');
}

function takeFlags(words: readonly string[], draft: Draft): string[] {
  const rest: string[] = [];
  for (let i = 0; i < words.length; i++) {
    const word = words[i] ?? '';
    const [flag = '', inline] = word.split('=', 2);
    const key = VALUE_FLAGS[flag];
    if (OTHER_VALUE_FLAGS.has(word)) i++;
    else if (key === undefined) rest.push(word);
    else draft[key] = inline ?? words[++i];
  }
  return rest;
}

/** `[ns] name 0/1 CrashLoopBackOff ...` -> `[ns?, name]`; undefined without a READY column. */
function takeTableRow(words: readonly string[]): string[] | undefined {
  const ready = words.findIndex((word) => READY_COLUMN.test(word));
  return ready === 1 || ready === 2 ? words.slice(0, ready) : undefined;
}

function takeRow(row: readonly string[], draft: Draft): void {
  if (row.length === 2) draft.namespace = row[0];
  draft.pod = row.at(-1);
}

/** Answers the words that are left over. */
function takePlaces(words: readonly string[], draft: Draft): readonly string[] {
  const [place, ...rest] = words;
  const parts = (place ?? '').split('/').filter((part) => part !== '');
  const named =
    parts.length >= 2 && KUBECTL_WORDS.has(parts.at(-2) ?? '') ? [...parts.slice(0, -2), parts.at(-1) ?? ''] : parts;
  // A path of files: no part of it may be taken for a cluster, and the error quotes all of it.
  const isPath = named.length > 3 || /^[.~]/.test(place ?? '');
  draft.pod = isPath ? place : named.at(-1);
  draft.namespace ??= named.at(-2);
  draft.cluster ??= named.at(-3);
  if (draft.container !== undefined) return rest;
  draft.container = rest[0];
  return rest.slice(1);
}

function check(draft: Draft): ParsedQuery {
  if (draft.pod === undefined) return { kind: 'empty' };
  const pod = draft.pod.toLowerCase();
  if (!NAME.test(pod)) return { kind: 'unclear', word: draft.pod };
  if (draft.cluster !== undefined && !CLUSTER.test(draft.cluster)) return { kind: 'unclear', word: draft.cluster };
  if (draft.namespace !== undefined && !NAME.test(draft.namespace)) return { kind: 'unclear', word: draft.namespace };
  if (draft.container !== undefined && !CONTAINER.test(draft.container))
    return { kind: 'unclear', word: draft.container };
  return {
    kind: 'query',
    query: { cluster: draft.cluster, namespace: draft.namespace, pod, container: draft.container },
  };
}

/** The query in the form a person would type again; parsed, it gives the same query. */
export function formatPodQuery({ cluster, namespace, pod, container }: PodQuery): string {
  const words = [[namespace && cluster, namespace, pod].filter((part) => part !== undefined).join('/')];
  if (container !== undefined) words.push(container);
  // In front of a bare pod the cluster would be read as a namespace.
  if (cluster !== undefined && namespace === undefined) words.push(`--context ${cluster}`);
  return words.join(' ');
}

const POD_IN_TEXT =
  /\b(?:pods?\/|pod[ "=:]+"?)?([a-z0-9](?:[-a-z0-9]{2,200})-(?:[bcdfghjklmnpqrstvwxz2456789]{6,10}-[bcdfghjklmnpqrstvwxz2456789]{5}|\d{1,4}))\b/;

/** The first pod name in a message that was written for people (an alert, pasted log lines); undefined where none is seen. */
export function findPodInText(text: string): ParsedQuery {
  const rows = text.split('\n').map((line) => parsePodQuery(line));
  const table = text.split('\n').findIndex((line) => takeTableRow(splitWords(line)) !== undefined);
  if (table >= 0) return rows[table] ?? { kind: 'empty' };
  const namespace = /\b(?:namespace|ns)[ "=:/]+"?([a-z0-9][-a-z0-9]{0,61})/i.exec(text)?.[1];
  const labelled = /\bpod[ "=:/]+"?([a-z0-9][-a-z0-9.]{2,251})/i.exec(text)?.[1];
  const pod = POD_IN_TEXT.exec(text)?.[1] ?? labelled;
  if (pod === undefined) return { kind: 'empty' };
  return parsePodQuery(namespace === undefined ? pod : `${namespace}/${pod}`);
}
