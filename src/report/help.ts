import { bold, code, type Message, plain, type Span } from '../model/message.ts';
import { say } from './sentence.ts';

/** What can be typed, with examples to copy. */
export function helpMessage(commandName: string): Message {
  const line = (command: string, says: string): Span[] => [code(`${commandName} ${command}`), plain(` ${says}`)];
  return say('info', 'oombot tells which memory of a pod failed, when, why, and on what evidence.', [
    {
      kind: 'list',
      title: 'Type',
      items: [
        line('triage <pod>', 'reads the pod and posts one card here'),
        line('triage prod/llm/vllm-0 vllm', 'with cluster, namespace and container'),
        line('explain <incident>', 'the reasons, for someone who was not there'),
        line('status', 'open incidents'),
        line('help', 'this text'),
      ],
    },
    {
      kind: 'list',
      title: 'A pod may be',
      items: [
        [plain('a name, the beginning of one, a workload, or a pod that has been replaced')],
        [
          plain('a pasted line of '),
          code('kubectl get pods'),
          plain(', with '),
          code('-n <namespace>'),
          plain(' or without'),
        ],
        [plain('in a message: choose '), bold('Triage OOM'), plain(' from its menu')],
      ],
    },
    { kind: 'note', spans: [plain('oombot reads; it changes nothing. The same in a terminal: '), code('oom --help')] },
  ]);
}
