/** Whether one of the patterns covers the namespace; a pattern may end in `*`. */
export function allows(patterns: readonly string[], namespace: string): boolean {
  return patterns.some((p) => (p.endsWith('*') ? namespace.startsWith(p.slice(0, -1)) : p === namespace));
}

/** The namespaces, where all are named outright; undefined where a pattern leaves them open. */
export function namedOutright(patterns: readonly string[]): readonly string[] | undefined {
  return patterns.some((p) => p.includes('*')) ? undefined : patterns;
}
