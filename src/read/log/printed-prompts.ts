/** What an engine prints as it is, over as many lines as a user or a model wrote. */
export type Printed = {
  /** Stands in the first of the lines. */
  readonly mark: RegExp;
  /** What stands before it. */
  readonly opens: RegExp;
  /** How the engine's own lines begin, also behind what a container puts before them. */
  readonly own: RegExp;
};

// zerolog's console form, with or without colours: `2:04PM DBG ` (mudler/LocalAI core/http/endpoints/openai/chat.go,
// completion.go and edit.go).
const LOCALAI = /^[^\n]{0,80}?(?<![\d:])\d{1,2}:\d{2}[AP]M\S{0,12} \S{0,12}(?:TRC|DBG|INF|WRN|ERR|FTL|PNC)\b/;
// tracing's: `2026-07-10T10:04:51.000000Z DEBUG ` (huggingface/text-generation-inference router/src/server.rs).
const TGI =
  /^[^\n]{0,80}?(?<!\d)\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3,9}Z\S{0,12} {1,3}\S{0,12}(?:TRACE|DEBUG|INFO|WARN|ERROR)\b/;
// `srv  update_slots: `, `slot      release: `, `main: `, and the same behind a time and a level (ggml-org/llama.cpp
// tools/server/utils.hpp, tools/mtmd/mtmd-cli.cpp, common/log.cpp).
// `slot update_slots: id  3 | ` has no room for a second space, for the name is cut to twelve signs and filled up to them
// (tools/server/server-common.h, SLT_INF).
const LLAMA =
  /^[^\n]{0,80}?(?:^|[\s\]]|\[[\d;]{1,9}m)(?:(?:srv|que|res) {2,12}\S|slot {1,12}\w{1,12}: id {1,3}-?\d|(?:main|(?:common|llama|ggml|llm|clip|mtmd)_\w{1,60}): )/;
// A time, a level and the function alone: another program may have a word of this name.
const LLAMA_OPENS =
  /^(?:[\w.-]{1,60} {1,12}\| )?(?:[\d.:TZ+-]{1,40} {1,2})?(?:std(?:out|err) [FP] )?(?:\S{0,12}[\d.]{1,20}\S{0,5} \S{0,6}D \S{0,5})?(?:srv {2,12}\w{1,12}: )?$/;

const PRINTED: readonly Printed[] = [
  { mark: /Prompt \(after templating\): /g, opens: LOCALAI, own: LOCALAI },
  { mark: /Template found, input modified to: /g, opens: LOCALAI, own: LOCALAI },
  { mark: /: (?:In|Out)put: /g, opens: TGI, own: TGI },
  { mark: /formatted_chat(?:\.prompt)?: /g, opens: LLAMA_OPENS, own: LLAMA },
];

/** Whole lines, blank where they go on with a text of a user or a model, each as long as it was; `open` is one that goes on. */
export type Lines = { readonly text: string; readonly open: Printed | undefined };

/** Blanks the lines with which a printed text goes on, up to the next one of the engine. */
export function withoutPrinted({ text, open }: Lines): Lines {
  const parts: string[] = [];
  const places: Places = new Map();
  let at = 0;
  let going = open === undefined ? nextIn(text, 0, places) : { printed: open, from: 0 };
  while (going !== undefined) {
    const to = ownFrom(text, going);
    parts.push(text.slice(at, going.from), text.slice(going.from, to).replaceAll(/[^\n]/g, ' '));
    if (to === text.length) return { text: parts.join(''), open: going.printed };
    at = to;
    going = nextIn(text, at, places);
  }
  return { text: parts.length === 0 ? text : parts.join('') + text.slice(at), open: undefined };
}

/** A text, and where the line below its first one begins. */
type Going = { readonly printed: Printed; readonly from: number };
/** Where each mark stands next. */
type Places = Map<Printed, number>;

// Of several, the one that begins first.
function nextIn(text: string, from: number, places: Places): Going | undefined {
  for (const printed of PRINTED) {
    if ((places.get(printed) ?? -1) < from) places.set(printed, placeOf(text, from, printed));
  }
  const [printed, at = text.length] = [...places].toSorted(([, a], [, b]) => a - b)[0] ?? [];
  return printed === undefined || at === Number.POSITIVE_INFINITY ? undefined : { printed, from: endOfLine(text, at) };
}

// The expressions are shared between scanners, so their places are set before every use.
function placeOf(text: string, from: number, { mark, opens }: Printed): number {
  mark.lastIndex = from;
  for (let found = mark.exec(text); found !== null; found = mark.exec(text)) {
    if (opens.test(text.slice(text.lastIndexOf('\n', found.index) + 1, found.index))) return found.index;
  }
  return Number.POSITIVE_INFINITY;
}

function ownFrom(text: string, { printed, from }: Going): number {
  let at = from;
  while (at < text.length) {
    const end = endOfLine(text, at);
    if (printed.own.test(text.slice(at, end))) return at;
    at = end;
  }
  return at;
}

function endOfLine(text: string, from: number): number {
  const feed = text.indexOf('\n', from);
  return feed === -1 ? text.length : feed + 1;
}
