import { parseJson } from '../model/json-file.ts';
import { parseLogName, snapshotNameOf } from '../model/snapshot.ts';
import { baseName, type EvidenceFile, looksLikeText, memoryFile, readHead, readSmall } from './evidence-file.ts';
import { type KubernetesObject, objectsIn } from './kubernetes-objects.ts';

/** What a file is, by its name and else by its content. `stem` is its name without what says which log it is. */
export type Recognized =
  | {
      readonly kind: 'named';
      readonly name: string;
      /** Those of a file that may be of a whole namespace. */
      readonly objects?: readonly KubernetesObject[];
      readonly file: EvidenceFile;
    }
  | {
      readonly kind: 'log';
      readonly stem: string;
      readonly instance: 'previous' | 'current' | undefined;
      readonly file: EvidenceFile;
    }
  | { readonly kind: 'objects'; readonly objects: readonly KubernetesObject[]; readonly file: EvidenceFile };

const HEAD_BYTES = 64 * 1024;

/** Undefined for what is no evidence: a picture, a page, a script. */
export async function recognizeFile(file: EvidenceFile): Promise<Recognized | undefined> {
  const name = baseName(file.path);
  const known = snapshotNameOf(name);
  const isLog = known !== undefined && parseLogName(known) !== undefined;
  if (known === 'events.json')
    return { kind: 'named', name: known, objects: objectsIn((await readSmall(file)).text) ?? [], file };
  if (known !== undefined && !isLog) return { kind: 'named', name: known, file };
  const head = await readHead(file, HEAD_BYTES);
  if (head.trim() === '' || !looksLikeText(head)) return undefined;
  return isLog ? { kind: 'log', ...logWords(name), file } : byContent(file, name, head);
}

const OBJECTS = /^\s*[{[]|^(?:apiVersion|kind|items):/m;
const OBJECTS_WITHIN = 2000;

// `docker inspect`, `nerdctl inspect` and `crictl inspect` of a container.
const INSPECTED = /"OOMKilled":|"State":\s*\{\s*"Status":|"state":\s*"CONTAINER_/;

async function byContent(file: EvidenceFile, name: string, head: string): Promise<Recognized | undefined> {
  if (OBJECTS.test(head.slice(0, OBJECTS_WITHIN))) {
    const { text, isWhole } = await readSmall(file);
    const objects = isWhole ? objectsIn(text) : undefined;
    if (objects?.length === 0)
      return INSPECTED.test(head) ? { kind: 'named', name: 'describe.txt', file: inLines(file, text) } : undefined;
    if (objects !== undefined) return { kind: 'objects', objects, file };
  }
  const capture = captureOf(name, head);
  if (capture !== undefined) return { kind: 'named', name: capture, file };
  return LOG_NAME.test(name) ? { kind: 'log', ...logWords(name), file } : undefined;
}

// `--format '{{json .State}}'` prints one line.
function inLines(file: EvidenceFile, json: string): EvidenceFile {
  if (json.trim().includes('\n')) return file;
  return memoryFile(file.path, [new TextEncoder().encode(JSON.stringify(parseJson(json), null, 2))]);
}

// The first that fits.
const CAPTURES: readonly (readonly [RegExp, string])[] = [
  [/NVIDIA-SMI|^=+NVSMI LOG|^# gpu\s+(?:pid|pwr|idx)|\bmemory\.(?:used|total|free)\b.*,/m, 'nvidia-smi.txt'],
  [/^# (?:HELP|TYPE) [a-zA-Z_:]|^(?:POD\s+)?NAME\s+CPU\(cores\)\s+MEMORY/m, 'metrics.txt'],
  [/^Name:\s+\S+\s+Namespace:\s/m, 'describe.txt'],
  [/^(?:NAMESPACE\s+)?(?:NAME\s+READY\s+STATUS|LAST SEEN\s+TYPE\s+REASON)/m, 'describe.txt'],
  [/^\s+Last State:\s+Terminated|^Containers:\s*\n {2}\S+:\s*\n {4}/m, 'describe.txt'],
  [/^(?:\[\s*\d+\.\d+\]|\[\w{3} \w{3} +\d+ [\d:]+ \d{4}\]|\w{3} +\d+ [\d:]+ \S+ kernel:) /, 'kernel.txt'],
];

const COMMAND_LINE =
  /^(?:python3? -m |vllm serve |sglang serve |text-generation-launcher |trtllm-serve |lmdeploy serve |llama-server |\/\S+\/llama-server |--[a-z])/;
const FEW_LINES = 60;

function captureOf(name: string, head: string): string | undefined {
  const found = CAPTURES.find(([pattern]) => pattern.test(head))?.[1];
  if (found !== undefined) return found;
  const isShort = head.split('\n').length <= FEW_LINES;
  return isShort && (/^(?:args|command|cmd)\b/.test(name) || COMMAND_LINE.test(head)) ? 'args.txt' : undefined;
}

// `app.log`, `app.log.1`, `logs.txt`, `stdout`, `vllm-0`: not a page, a script, a table or a picture.
const LOG_NAME = /^-$|\.(?:log|txt|out|err|stdout|stderr)(?:\.\d+)?$|^[^.]+$/i;
const PREVIOUS = /[._-]?(?:previous|prev|crashed|crash|last|old)(?=[._-]|$)/i;
const CURRENT = /[._-]?(?:current|live)(?=[._-]|$)/i;

function logWords(name: string): { stem: string; instance: 'previous' | 'current' | undefined } {
  const base = name.replace(/\.(?:log|txt|out|err|stdout|stderr)(?:\.\d+)?$/i, '');
  const instance = PREVIOUS.test(base) ? 'previous' : CURRENT.test(base) ? 'current' : undefined;
  return {
    stem: base
      .replace(PREVIOUS, '')
      .replace(CURRENT, '')
      .replace(/^[._-]+|[._-]+$/g, ''),
    instance,
  };
}
