import type { Located } from './locate-command.ts';
import type { Container } from './read-container.ts';
import type { WordEdits } from './splice-words.ts';

/** A word, an operator, or an item of a list. `value` null where only the text counts. */
type Piece = { readonly id: string; readonly end: string; readonly text: string; readonly value: string | null };

/** Everything that the words of a container stand in, in order: lists, and scripts word by word. */
function toPieces(container: Container, { texts }: Located): Piece[] {
  const items = [
    ...(container.command ?? []).map((text, i) => ({ holder: `/command/${i}`, text })),
    ...(container.args ?? []).map((text, i) => ({ holder: `/args/${i}`, text })),
    ...texts.filter(({ holder }) => holder.startsWith('/env/')),
  ];
  return items.flatMap(({ holder, text }): Piece[] => {
    const scanned = texts.find((one) => one.holder === holder);
    if (scanned === undefined) return [{ id: `${holder}@0`, end: nextOf(holder), text, value: text }];
    return scanned.tokens.map((token) => {
      if (token.kind !== 'word')
        return { id: '', end: '', text: text.slice(token.start, token.start + 1), value: null };
      const { start, end, value, computedAt } = token.word;
      const certain = computedAt === null ? value : null;
      return { id: `${holder}@${start}`, end: `${holder}@${end}`, text: text.slice(start, end), value: certain };
    });
  });
}

// Lists are spelt by the place that a new item would take.
function nextOf(holder: string): string {
  return holder.replace(/\d+$/, (index) => String(Number(index) + 1));
}

type Expected = { readonly kind: 'text'; readonly text: string } | { readonly kind: 'value'; readonly value: string };

function expectPieces(container: Container, located: Located, edits: WordEdits): Expected[] {
  const { insertion } = located;
  const added = edits.appended.map((value): Expected => ({ kind: 'value', value }));
  const place = placeOf(insertion);
  const pieces = toPieces(container, located);
  const out: Expected[] = pieces.flatMap((piece) => {
    const own = expectPiece(piece, located, edits);
    return added.length > 0 && piece.end === place ? [...own, ...added] : own;
  });
  // Where nothing stands before them, they are the first of their list or text.
  if (pieces.some(({ end }) => end === place)) return out;
  return [...out, ...added];
}

function placeOf(insertion: Located['insertion']): string {
  if (typeof insertion === 'string') return insertion;
  return insertion.kind === 'list'
    ? `/${insertion.list}/${insertion.index}`
    : `${insertion.holder}@${insertion.offset}`;
}

function expectPiece({ id, text, value }: Piece, { words }: Located, { changes }: WordEdits): Expected[] {
  const change = changes.find(({ at }) => id === `${words[at]?.holder}@${words[at]?.start}`);
  if (change === undefined) return [{ kind: 'text', text }];
  if (change.kind === 'remove') return [];
  const old = value ?? text;
  return [{ kind: 'value', value: old.slice(0, change.from) + change.text + old.slice(change.to) }];
}

type Read = { readonly container: Container; readonly located: Located };

/** Whether, read again, exactly the intended words differ and all others stand as they stood. */
export function isAsIntended(before: Read, edits: WordEdits, after: Read): boolean {
  const expected = expectPieces(before.container, before.located, edits);
  const found = toPieces(after.container, after.located);
  return (
    expected.length === found.length &&
    expected.every((one, i) => {
      const piece = found[i];
      return one.kind === 'text' ? piece?.text === one.text : piece?.value === one.value;
    })
  );
}
