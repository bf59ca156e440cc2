import { type Knowledge, type KnowledgeOptions, loadKnowledge } from '../../src/wire/knowledge.ts';

const read = new Map<string, Promise<Knowledge>>();

/** The shipped playbooks, read once: to read them takes longer than most tests. Other folders are read each time. */
export function loadOnce(dirs: readonly string[], options: KnowledgeOptions = {}): Promise<Knowledge> {
  if (dirs.length > 1 || Object.keys(options.thresholds ?? {}).length > 0) return loadKnowledge(dirs, options);
  const key = dirs.join();
  const knowledge = read.get(key) ?? loadKnowledge(dirs);
  read.set(key, knowledge);
  return knowledge;
}
