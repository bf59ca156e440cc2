/** A map that forgets what was set first once it holds more than `size` entries. */
export function createBoundedMap<V>(size: number): Map<string, V> {
  const map = new Map<string, V>();
  const set = map.set.bind(map);
  map.set = (key, value) => {
    map.delete(key);
    set(key, value);
    const oldest = map.keys().next().value;
    if (map.size > size && oldest !== undefined) map.delete(oldest);
    return map;
  };
  return map;
}
