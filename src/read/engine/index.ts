import type { EngineClues, EngineInput, EngineReader, EngineReading } from '../../model/engine-reader.ts';
import {
  llamaCppReader,
  lmdeployReader,
  ollamaReader,
  sglangReader,
  tensorrtLlmReader,
  tgiReader,
  tritonReader,
} from './engine-profiles.ts';
import { isHelperImage, isHelperName, serverNamed, startsHelper } from './program-names.ts';
import { createReader, programLabels } from './reader.ts';
import { vllmReader } from './vllm.ts';

/** Where two are equally sure, the first: an engine before the server around it, Ollama before the engine inside it. */
export const ENGINE_READERS: readonly EngineReader[] = [
  vllmReader,
  sglangReader,
  tgiReader,
  tensorrtLlmReader,
  tritonReader,
  lmdeployReader,
  ollamaReader,
  llamaCppReader,
];

/** The reader that is surest of its engine; one that knows none where all are at a loss. */
function chooseReader(input: EngineInput, readers: readonly EngineReader[] = ENGINE_READERS): EngineReader {
  const sure = [...readers, unknownReader].map((reader) => ({ reader, confidence: reader.detect(input) }));
  return sure.reduce((a, b) => (b.confidence > a.confidence ? b : a)).reader;
}

/** Reads with the reader that is surest of its engine. */
export function readEngine(input: EngineInput, readers: readonly EngineReader[] = ENGINE_READERS): EngineReading {
  return chooseReader(input, readers).read(input);
}

/** The reader of an engine by its name; undefined for one that nobody reads. */
export function readerOf(engine: string): EngineReader | undefined {
  return ENGINE_READERS.find((reader) => reader.engine === engine);
}

const NOBODY = createReader({
  engine: 'unknown',
  name: /(?!)/,
  image: /(?!)/,
  // Servers of HTTP, of which `any` has the lines that several have in common.
  others: { ready: ['uvicorn', 'any'], served: ['uvicorn'] },
});

/** For a log of an engine that nobody knows: arguments, and the milestones of servers that several engines share. */
const unknownReader: EngineReader = {
  ...NOBODY,
  detect: (clues) => Math.max(0.01, otherProgram(clues)),
  read: (input: EngineInput): EngineReading => ({
    ...NOBODY.read(input),
    engine: serverOf(input) ?? input.declared ?? 'unknown',
  }),
};

// What is known to be another program is told in the order of the engines, each a little below an engine of its kind: a
// command may start one next to the other. An image is worth less than a line that only one engine prints, since what is
// called a proxy may have an engine within.
function otherProgram({ declared, command, image, logs, labels }: EngineClues): number {
  if (declared !== undefined && serverNamed(declared) !== undefined) return 0.99;
  if (command.some((word) => isServer(word) || startsHelper(word))) return 0.94;
  if (image !== undefined && (isServer(image) || isHelperImage(image))) return 0.58;
  if (logs.some(({ hits }) => hits.some(({ clean }) => isServer(clean)))) return 0.56;
  return programLabels(labels).some((value) => isServer(value) || isHelperName(value)) ? 0.51 : 0;
}

function isServer(text: string): boolean {
  return serverNamed(text) !== undefined;
}

/** The server that no reader knows, by the first clue that names one. */
function serverOf({ declared, command, image, logs, labels }: EngineClues): string | undefined {
  const lines = logs.flatMap(({ hits }) => hits.map(({ clean }) => clean));
  const clues = [declared ?? '', ...command, image ?? '', ...lines, ...programLabels(labels)];
  return clues.map(serverNamed).find((name) => name !== undefined);
}
