import { z } from 'zod';
import { Words } from './table-words.ts';

const Engine = z.strictObject({
  /** As its folder and all tables have it. */
  engine: Words,
  /** As its makers write it. */
  name: Words,
  /** What else people call it. */
  also: z.array(Words).min(1).optional(),
});

/** engines/names.yaml: the engines in the order of the tables. */
export const NamesFile = z.strictObject({ engines: z.array(Engine).min(1) });
export type EngineName = Readonly<z.infer<typeof Engine>>;
