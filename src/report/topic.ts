import { flaggedEngines } from '../model/flag-table.ts';
import { capital } from '../model/format-value.ts';
import { bold, code, type Message } from '../model/message.ts';
import type { Topic } from '../model/topic.ts';
import { clip, note, paragraph, say, type Words } from './words/sentence.ts';

/** What a setting or a popular fix does, and whether it helps. */
export function topicMessage({ id, says, helps, instead, source }: Topic): Message {
  const message = say('info', nameOf(id), [
    paragraph(clip(says, 500)),
    paragraph(bold('Helps: '), clip(helps, 300)),
    paragraph(bold('Do: '), clip(instead, 400)),
    note(`Source: ${clip(source, 200)}`),
  ]);
  return { ...message, dense: true };
}

/** The topics and engines that `explain` knows; `command` is `/oom` or `oom`. */
export function topicsMessage(ids: readonly string[], command: string): Message {
  const names = ids.toSorted().flatMap((id, i) => [...(i === 0 ? [] : [', ']), code(id)]);
  return say('info', `${ids.length} topics`, [
    paragraph(...names, '.'),
    paragraph(bold('Engines (flags by version): '), `${flaggedEngines().join(', ')}.`),
    note(
      `Examples: \`${command} explain quantization\`, \`${command} explain vllm\`, \`${command} explain --max-num-seqs\`, \`${command} explain <incident>\`.`,
    ),
  ]);
}

/** Popular fixes, each with what it changes for this cause. `explain <topic>` has the rest. */
export function topicItems(topics: readonly Topic[]): Words[] {
  return topics.map(({ id, helps }) => [bold(`${nameOf(id)}: `), clip(helps, 300)]);
}

// Flags are named as they are typed.
const FLAG = /^max-|^gpu-memory-utilization$/;

function nameOf(id: string): string {
  if (FLAG.test(id)) return id;
  const words = id.replaceAll('-', ' ').replace(/\b(?:cpu|cuda|gpu|kv)\b/g, (word) => word.toUpperCase());
  return capital(words);
}
