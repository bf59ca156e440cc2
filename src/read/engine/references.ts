import type { Cited, EngineArgument } from '../../model/engine-reader.ts';

/** `$MODEL`, `${MODEL}`, `${MODEL:-default}` of a shell, `$(MODEL)` of the kubelet. What a default is used for is not known. */
const REFERENCE =
  /\$(?:\{(?<braces>[A-Za-z_]\w*)(?<default>:?-[^}]*)?\}|\((?<list>[A-Za-z_]\w*)\)|(?<bare>[A-Za-z_]\w*))/g;
const LEFT = /\$[{(A-Za-z_]/;
// A variable may be made of another.
const MOST_STEPS = 3;

type Variable = { readonly name: string; readonly value: Cited<string> | undefined };

/** The arguments with variables replaced by what the same evidence sets them to; a value of which one is not known stays as it is. */
export function resolveReferences(args: readonly EngineArgument[], env: readonly Variable[]): EngineArgument[] {
  const lookUp = (name: string): Cited<string> | undefined => {
    const typed = args.findLast(({ flag, value }) => flag === name && value !== null);
    if (typed?.value != null) return { value: typed.value, from: typed.from };
    return env.findLast((one) => one.name === name)?.value;
  };
  return args.map((argument) => {
    const { value, from } = argument;
    if (value === null || !LEFT.test(value)) return argument;
    const resolved = resolve({ value, from }, lookUp);
    return resolved === undefined ? argument : { ...argument, ...resolved };
  });
}

/** Whether a value leaves something to a variable that is not resolved. */
export function hasReference(value: string): boolean {
  return LEFT.test(value);
}

// The place is that of the last variable: there its value stands.
function resolve(given: Cited<string>, lookUp: (name: string) => Cited<string> | undefined): Cited<string> | undefined {
  let found = given;
  for (let step = 0; step < MOST_STEPS && LEFT.test(found.value); step++) {
    let from = found.from;
    const value = found.value.replaceAll(REFERENCE, (whole: string, ...rest: unknown[]) => {
      const { braces, list, bare } = rest.at(-1) as Readonly<Record<string, string | undefined>>;
      const told = lookUp(braces ?? list ?? bare ?? '');
      if (told !== undefined) from = told.from;
      return told?.value ?? whole;
    });
    if (value === found.value) return undefined;
    found = { value, from };
  }
  return LEFT.test(found.value) ? undefined : found;
}
