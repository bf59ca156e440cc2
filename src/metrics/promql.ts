/** Label matchers: `{ pod: 'vllm-0', container: { like: '.+' } }`. */
export type Matchers = Readonly<Record<string, string | { readonly like: string }>>;

/** `{__name__=~"a|b",pod="vllm-0"}`. Values are escaped: a name from a cluster cannot leave its quotes. */
export function selector(names: readonly string[], matchers: Matchers): string {
  const parts = Object.entries(matchers).map(([label, wanted]) =>
    typeof wanted === 'string' ? `${label}=${quote(wanted)}` : `${label}=~${quote(wanted.like)}`,
  );
  return `{${[`__name__=~${quote(names.join('|'))}`, ...parts].join(',')}}`;
}

/**
 * All series of several selectors in one expression. `or` compares labels without the name, which is safe here: a
 * selector takes the same names each time, so what the first one has it has under every name.
 */
export function union(selectors: readonly string[]): string {
  return selectors.join(' or ');
}

/** Matchers of some pods, by the labels of their own scrape and of one that keeps its own labels. */
export function podPlaces(
  namespace: string,
  pods: readonly { readonly name: string }[],
  extra: Matchers,
): readonly Matchers[] {
  const like = pods.map(({ name }) => name.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('|');
  return [
    { ...extra, namespace, pod: { like } },
    { ...extra, exported_namespace: namespace, exported_pod: { like } },
  ];
}

/** The last sample within `seconds`, also where the series has ended since. */
export function lastWithin(one: string, seconds: number): string {
  return `last_over_time(${one}[${seconds}s])`;
}

// PromQL takes Go's escapes in double quotes, which those of JSON are. A lone surrogate is none.
function quote(text: string): string {
  return JSON.stringify(text.toWellFormed());
}
