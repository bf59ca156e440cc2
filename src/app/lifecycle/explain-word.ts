import { OomError } from '../../model/errors.ts';
import { flaggedEngine, flagsNamed } from '../../model/flag-table.ts';
import type { Message } from '../../model/message.ts';
import type { Topic } from '../../model/topic.ts';
import { engineMessage, type FlagView, flagBlocks, flagMessage } from '../../report/engine-flags.ts';
import { topicMessage, topicsMessage } from '../../report/topic.ts';

export type WordDeps = {
  /** The topic, by any word for it. */
  readonly topic?: (word: string) => Topic | undefined;
  /** The topic, engine or flag whose name is most like a word. */
  readonly topicNear?: (word: string) => string | undefined;
  readonly topics?: () => readonly string[];
};

/** What `explain` says of a word: `topics`, a topic, an engine or a flag (`vllm --max-num-seqs` in one engine); undefined for anything else. Throws OomError `bad-input` for an unknown flag and for words behind a known one. */
export function explainWord(deps: WordDeps, typed: string, view: FlagView): Message | undefined {
  if (typed === 'topics') return topicsMessage(deps.topics?.() ?? [], view.command);
  const engine = flaggedEngine(typed);
  if (engine !== undefined) return engineMessage(engine, view);
  const topic = deps.topic?.(typed.replace(/=.*$/s, ''));
  const flags = flagsTyped(typed);
  if (topic !== undefined) {
    const message = topicMessage(topic);
    return { ...message, blocks: [...message.blocks, ...flagBlocks(flags)] };
  }
  if (flags.length > 0) return flagMessage(flags);
  refuseMoreWords(deps, typed, view.command);
  if (typed.startsWith('-')) throw unknownFlag(deps, typed, view.command);
  return undefined;
}

function flagsTyped(typed: string): ReturnType<typeof flagsNamed> {
  const whole = flagsNamed(typed);
  const words = typed.split(/\s+/);
  if (whole.length > 0 || words.length !== 2) return whole;
  const engine = words.map(flaggedEngine).find((one) => one !== undefined);
  // Other pairs are words such as `kv dtype`.
  if (engine === undefined && !typed.startsWith('-')) return [];
  const of = engine === 'pytorch' ? 'any' : engine;
  return words.flatMap((word) => flagsNamed(word)).filter((entry) => of === undefined || entry.engine === of);
}

function refuseMoreWords({ topic }: WordDeps, typed: string, command: string): void {
  const [, first = '', more] = /^(\S+)\s+(\S.*)$/s.exec(typed) ?? [];
  const isEngine = flaggedEngine(first) !== undefined;
  if (more === undefined || !(isEngine || topic?.(first) !== undefined || flagsNamed(first).length > 0)) return;
  const explain = `\`${command} explain ${first}\``;
  throw new OomError('bad-input', `Unexpected “${more.slice(0, 60)}” after ${first.slice(0, 60)}.`, {
    next: isEngine ? `${explain} lists flags and behaviors by version.` : `Type ${explain}.`,
  });
}

function unknownFlag({ topicNear }: WordDeps, typed: string, command: string): OomError {
  const near = topicNear?.(typed);
  const next =
    near === undefined
      ? `\`${command} explain vllm\` lists the flags of an engine.`
      : `Did you mean \`${command} explain ${near}\`?`;
  return new OomError('bad-input', `Unknown flag ${typed.slice(0, 60)}.`, { next });
}
