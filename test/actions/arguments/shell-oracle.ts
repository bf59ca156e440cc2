import { createRequire } from 'node:module';

/** A shell parser that shares no line with ours (mvdan-sh), as far as the tests ask it. */
type Node = {
  Pos(): { Offset(): number };
  End(): { Offset(): number };
  readonly Parts?: readonly Node[];
  readonly Args?: readonly Node[];
  readonly Value?: string;
};
type Library = {
  readonly syntax: {
    NewParser(): { Parse(text: string, name: string): Node };
    Walk(node: Node, visit: (node: Node | null) => boolean): void;
    NodeType(node: Node): string;
  };
};

const { syntax } = createRequire(import.meta.url)('mvdan-sh') as Library;
const parser = syntax.NewParser();

/** `value` is null where the shell computes some of it. Offsets count bytes; the scripts of these tests are ASCII. */
export type OracleWord = {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly value: string | null;
};

export type OracleReading = {
  /** The words outside of commands: targets of redirects, items of loops and the like. */
  readonly words: readonly OracleWord[];
  /** The words of each simple command, redirects left out. */
  readonly calls: readonly (readonly OracleWord[])[];
};

/** The words of a script; undefined where it is none. */
export function askOracle(text: string): OracleReading | undefined {
  let file: Node;
  try {
    file = parser.Parse(text, '');
  } catch {
    return undefined;
  }
  const words: OracleWord[] = [];
  const calls: OracleWord[][] = [];
  syntax.Walk(file, (node) => {
    if (node === null) return true;
    const type = syntax.NodeType(node);
    // A word counts as a whole, with the commands that may stand in it.
    if (type === 'Word') words.push(toWord(node, text));
    if (type === 'CallExpr') calls.push((node.Args ?? []).map((word) => toWord(word, text)));
    return type !== 'Word' && type !== 'CallExpr';
  });
  return { words, calls };
}

function toWord(node: Node, text: string): OracleWord {
  const [start, end] = [node.Pos().Offset(), node.End().Offset()];
  return { start, end, text: text.slice(start, end), value: decode(node.Parts ?? []) };
}

function decode(parts: readonly Node[]): string | null {
  let value = '';
  for (const part of parts) {
    const piece = pieceOf(part);
    if (piece === null) return null;
    value += piece;
  }
  return value;
}

function pieceOf(part: Node): string | null {
  switch (syntax.NodeType(part)) {
    case 'Lit':
      return (part.Value ?? '').replaceAll('\\\n', '').replaceAll(/\\([\s\S])/g, '$1');
    case 'SglQuoted':
      return part.Value ?? '';
    case 'DblQuoted': {
      const inner = (part.Parts ?? []).map((one) =>
        syntax.NodeType(one) === 'Lit'
          ? (one.Value ?? '').replaceAll('\\\n', '').replaceAll(/\\(["\\$`])/g, '$1')
          : null,
      );
      return inner.includes(null) ? null : inner.join('');
    }
    default:
      return null;
  }
}
