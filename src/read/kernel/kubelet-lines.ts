import type { LabelledLine, TextLine } from '../text/lines.ts';

const MAY_NAME = /\bpod|object="/;
// The head of klog, the journal's name of the unit, and who calls in the JSON of component-base: others name pods as well, of
// whom the line is not.
const OF_KUBELET = /(?:^|\s)[IWEF]\d{4} |\bkubelet\b|"caller":"/;
// klog's fields (k8s.io/klog, KObj), and pkg/kubelet/util/format Pod, which messages of events have as well.
const FIELD = /\bpod="([^"/\s]{1,63})\/([^"/\s]{1,253})"/;
const OF_EVENT = /\bobject="([^"/\s]{1,63})\/([^"/\s]{1,253})"[^\n]{0,200}\bkind="Pod"/;
const OF_JSON = /"pod":\{"name":"(?<pod>[^"]{1,253})","namespace":"(?<namespace>[^"]{1,63})"\}/;
const FORMATTED =
  /\bpod[= ]\\?"?([a-z0-9][a-z0-9.-]{0,252})_([a-z0-9-]{1,63})\(([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\)/;

/** The pod and the container that a line of the kubelet says it is about, as labels; undefined for any other line. */
export function kubeletLine(line: TextLine): LabelledLine | undefined {
  if (!MAY_NAME.test(line.text)) return undefined;
  const [, name, space, formatted] = FORMATTED.exec(line.text) ?? [];
  const told = OF_KUBELET.test(line.text) ? fieldsOf(line.text) : {};
  const { namespace = space, pod = name } = told;
  if (pod === undefined) return undefined;
  const uid = /\bpodUID"?[=:]"([0-9a-f-]{36})"/.exec(line.text)?.[1] ?? formatted;
  const container = /\bcontainerName"?[=:]"([^"\s]{1,63})"/.exec(line.text)?.[1];
  const labels = Object.entries({ namespace, pod, uid, container }).flatMap(([key, value]) =>
    value === undefined ? [] : [[key, value]],
  );
  return { name: '', labels: Object.fromEntries(labels), line: line.n };
}

function fieldsOf(text: string): { readonly namespace?: string | undefined; readonly pod?: string | undefined } {
  const [, namespace, pod] = FIELD.exec(text) ?? OF_EVENT.exec(text) ?? [];
  return pod === undefined ? (OF_JSON.exec(text)?.groups ?? {}) : { namespace, pod };
}
