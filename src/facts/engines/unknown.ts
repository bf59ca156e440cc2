import type { EngineClues, EngineInput, EngineReader, EngineReading } from '../../model/engine-reader.ts';
import { createReader } from './reader.ts';

const NOBODY = createReader({
  engine: 'unknown',
  name: /(?!)/,
  image: /(?!)/,
  phrases: /(?!)/,
  milestones: { ready: ['phase.uvicorn-ready', 'phase.server-ready'], served: ['phase.http-served'] },
});

/** For a log of an engine that nobody knows: arguments, and the milestones of servers that several engines share. */
export const unknownReader: EngineReader = {
  ...NOBODY,
  detect: (_clues: EngineClues) => 0.01,
  read: (input: EngineInput): EngineReading => ({ ...NOBODY.read(input), engine: input.declared ?? 'unknown' }),
};
