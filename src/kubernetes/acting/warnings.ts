const MOST = 10;
const LONGEST = 300;

/** The texts of `Warning:` headers: `299 - "the words"`, several of them apart or joined by commas. */
export function parseWarnings(header: string | readonly string[] | undefined): string[] {
  const joined = header === undefined ? [] : [header].flat();
  return joined
    .flatMap((one) => [...one.matchAll(/\d{3} \S+ "((?:[^"\\]|\\.)*)"/g)])
    .map((match) => (match[1] ?? '').replace(/\\(.)/g, '$1').replace(/\s+/g, ' ').slice(0, LONGEST))
    .filter((text, i, all) => text !== '' && all.indexOf(text) === i)
    .slice(0, MOST);
}
