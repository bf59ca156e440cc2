import { parseTime, utc } from '../text/when.ts';

/** A date without a year, as vLLM heads its lines: `INFO 07-10 10:00:00`. */
type YearlessTime = {
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
};

export type CleanLine = {
  /** Without colour codes, container timestamp, quotation, pod prefix and process prefix. */
  readonly clean: string;
  /** The same with the process prefix. */
  readonly withProcess: string;
  readonly process: string | undefined;
  /** Epoch ms, where the line bears a full date; without a zone it is taken as UTC. */
  readonly at: number | undefined;
  readonly head: YearlessTime | undefined;
};

// biome-ignore lint/suspicious/noControlCharactersInRegex: colour codes begin with ESC
const ANSI = /\u001b\[[0-9;?]{0,32}[ -/]{0,4}[@-~]|\u001b\][^\u0007\u001b]{0,200}\u0007/g;
// ESC itself is often lost in what people paste, or is there by its name: `[0;36m`, `ESC[0;36m`, `^[[0;36m`, `\033[0;36m`.
const NAMED_ANSI = /(?:ESC|\^\[|\\(?:033|x1[bB]|u001[bB])|␛|\ufffd)?\[\d{1,2}(?:;\d{1,3}){0,4}m/g;
// `{"log":"text\n","stream":"stderr","time":"2026-07-10T10:00:00.1Z"}`: a file of Docker (moby/moby
// daemon/logger/jsonfilelog/jsonlog/jsonlog.go).
const DOCKER =
  /^\{"log":"(.*)","stream":"std(?:out|err)",(?:"attrs":\{[^}]{0,2000}\},)?"time":"(\d{4}-[\d:T.Z+-]{6,40})"\}\s{0,4}$/;
/** What mail and Markdown put before a line that is quoted. */
const QUOTE = /^(?:> ?){1,4}(?=\S)/;
// `vllm-7f5c9d8b6-x2x9q engine `, with the namespace before it where more than one is read: stern's lines (stern/stern
// cmd/cmd.go). A pod of a Deployment has a name like no word of a log: its letters leave out the vowels
// (kubernetes/apimachinery pkg/util/rand/rand.go).
const STERN =
  /^(?:[a-z0-9][a-z0-9-]{0,60} )?[a-z0-9][a-z0-9-]{0,60}-[2456789bcdfghj-np-tv-xz]{5,10}-[2456789bcdfghj-np-tv-xz]{5} (?:\S )?[a-z0-9][a-z0-9-]{0,60} /;
// `INFO 2025-11-19T20:16:36.0966Z [resource.labels.containerName: vllm] `: as the viewer of Google Cloud's logs copies
// lines. The word before the date is the stream's.
const GOOGLE =
  /^(?:DEFAULT|DEBUG|INFO|NOTICE|WARNING|ERROR|CRITICAL) (\d{4}-\d\d-\d\dT[\d:.]{8,18}Z) \[resource\.labels\.\w{1,40}: [^\]\n]{1,120}\] ?/;
/** `[pod/vllm-0/engine] ` of kubectl --prefix, `vllm-1  | ` of docker compose. */
const POD_PREFIX = /^(?:\[pod\/[^\]\s]{1,300}\] |[\w.-]{1,80} {1,8}\| )/;
// `May 19 21:02:33 host vllm[4120]: ` of journalctl and syslog (systemd/systemd src/shared/logs-show.c, output_short).
const JOURNAL = /^[A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2}(?:\.\d{1,6})? [\w.-]{1,80} [\w.@/-]{1,80}\[\d{1,10}\]: /;
// The same behind the date of `-o short-iso`.
const JOURNAL_ISO = /^ [\w.-]{1,80} [\w.@/-]{1,80}\[\d{1,10}\]: /;
const FULL_DATE =
  /^\[?(\d{4})-(\d{2})-(\d{2})[T ](\d{2}):(\d{2}):(\d{2})(?:[.,](\d{1,9}))?(Z|[+-]\d{2}:?\d{2})?(?:\]|(?=\s|$))/;
/** containerd's own file format: `<time> stdout F `. */
const STREAM = /^ ?(?:stdout|stderr) [FP] /;
const PROCESS =
  /^\(([A-Za-z_][\w:.-]{0,80}(?: [\w=:.-]{1,40}){0,3}?),? (?:pid=\d{1,12}(?:, ip=[\d.]{1,24})?|ip=[\d.]{1,24})\) ?/;
// `4:10PM DBG GRPC(model-127.0.0.1:39715): stderr `: what LocalAI puts before the lines of a backend (mudler/LocalAI
// pkg/model/process.go, startProcess).
const LOCALAI = /^\d{1,2}:\d{2}[AP]M [A-Z]{3} GRPC\([^\n]{1,200}?\): std(?:err|out) /;
const RANK = /^\[(rank\d{1,5})\]: ?/;
const HEAD = /^(?:DEBUG|INFO|WARNING|ERROR|CRITICAL) (\d{2})-(\d{2}) (\d{2}):(\d{2}):(\d{2})(?=[ .,])/;

// Several facts look at the same lines.
const MOST_KEPT = 4096;
const cleaned = new Map<string, CleanLine>();

/** Takes off what containers, colours and process managers put before and around a line. */
export function cleanLine(raw: string): CleanLine {
  const known = cleaned.get(raw);
  if (known !== undefined) return known;
  if (cleaned.size >= MOST_KEPT) cleaned.clear();
  const line = clean(raw);
  cleaned.set(raw, line);
  return line;
}

function clean(raw: string): CleanLine {
  const unprefixed = withoutDocker(raw)
    .replaceAll(ANSI, '')
    .replaceAll(NAMED_ANSI, '')
    .replace(QUOTE, '')
    .replace(GOOGLE, '$1 ')
    .replace(STERN, '')
    .replace(POD_PREFIX, '')
    .replace(JOURNAL, '');
  const dated = takeDate(unprefixed);
  const { rest, process } = takeProcess(dated.rest.replace(LOCALAI, ''));
  return { clean: rest, withProcess: dated.rest, process, at: dated.at, head: takeHead(rest) };
}

function withoutDocker(raw: string): string {
  const [, log, time] = (raw.startsWith('{"log":"') && DOCKER.exec(raw)) || [];
  if (log === undefined) return raw;
  try {
    return `${time} ${String(JSON.parse(`"${log}"`)).trimEnd()}`;
  } catch {
    return raw;
  }
}

function takeDate(line: string): { rest: string; at: number | undefined } {
  const m = FULL_DATE.exec(line);
  if (m === null) return { rest: line, at: undefined };
  const at = parseTime(m[0]);
  // A date in brackets (`[2026-07-10 10:00:00 TP0]`, SGLang) and one of Python's logging are the engine's own text; one
  // before a tab is Grafana's.
  const isContainers = !m[0].startsWith('[') && (m[0].includes('T') || /^(?: \| |\t)/.test(line.slice(m[0].length)));
  if (!isContainers || at === undefined) return { rest: line, at };
  return {
    rest: line
      .slice(m[0].length)
      .replace(STREAM, '')
      .replace(JOURNAL_ISO, '')
      .replace(/^(?:\t| (?:\| )?)/, ''),
    at,
  };
}

function takeProcess(line: string): { rest: string; process: string | undefined } {
  let rest = line;
  let process: string | undefined;
  // Ray puts its own prefix before that of vLLM; the inner one names the process.
  for (let i = 0; i < 3; i++) {
    const m = PROCESS.exec(rest) ?? RANK.exec(rest);
    if (m === null) break;
    process = m[1];
    rest = rest.slice(m[0].length);
  }
  return { rest, process };
}

function takeHead(clean: string): YearlessTime | undefined {
  const m = HEAD.exec(clean);
  if (m === null) return undefined;
  const [, month = 0, day = 0, hour = 0, minute = 0, second = 0] = m.map(Number);
  return { month, day, hour, minute, second };
}

/** The middle of a leap year, so that no date is refused: how long lies between two lines needs no year. */
export const SOME_YEAR = Date.UTC(2024, 6);

/** The yearless time in the year that brings it nearest to `anchor` (epoch ms). */
export function nearestTime(head: YearlessTime, anchor: number): number | undefined {
  const year = new Date(anchor).getUTCFullYear();
  const { month, day, hour, minute, second } = head;
  const times = [year - 1, year, year + 1].flatMap(
    (y) => utc([y, month, day, hour, minute, second], undefined, 0) ?? [],
  );
  return times.toSorted((a, b) => Math.abs(a - anchor) - Math.abs(b - anchor))[0];
}
