/** The same function, which reads each object once: many facts ask the same of one log or one snapshot. */
export function oncePer<K extends WeakKey, V>(read: (of: K) => V): (of: K) => V {
  const known = new WeakMap<K, { readonly value: V }>();
  return (of) => {
    const held = known.get(of) ?? { value: read(of) };
    known.set(of, held);
    return held.value;
  };
}
