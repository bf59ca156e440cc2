import { bold, code, type Message } from '../model/message.ts';
import { list, note, say, type Words } from './words/sentence.ts';

/** What can be typed, with examples to copy. */
export function helpMessage(commandName: string, { acting = false }: { acting?: boolean } = {}): Message {
  const line = (command: string, says: string): Words => [code(`${commandName} ${command}`), ` ${says}`];
  return say('info', 'oombot tells which memory of a pod failed, when, why, and on what evidence.', [
    ...list('Type', [
      line('triage <pod>', 'reads the pod and posts one card here'),
      line('triage prod/llm/vllm-0 vllm', 'with cluster, namespace and container'),
      line('explain <incident>', 'the reasons, for someone who was not there; with --all whatever is not ruled out'),
      line('explain swap space', 'why a remedy that is passed on is never offered, and what to do instead'),
      line('status', 'open incidents'),
      line('ack <incident>', 'says that you are on it'),
      line('resolve <incident> <reason>', 'closes it; if it fails again, it reopens'),
      line('feedback <incident> yes', 'the finding was right; no, with what it was'),
      line('history <workload>', 'incidents, open and closed; with --accuracy how often findings were right'),
      line('budget <pod or incident>', 'what of the GPU memory is static, and what the KV cache holds'),
      line('budget <pod or incident> --max-model-len=8192', 'and what a change of arguments would do'),
      line('help', 'this text'),
    ]),
    ...(acting ? list('To act, for those who may', actingItems(line)) : []),
    ...list('A pod may be', [
      ['a name, the beginning of one, a workload, or a pod that has been replaced'],
      ['a pasted line of ', code('kubectl get pods'), ', with ', code('-n <namespace>'), ' or without'],
      ['in a message: choose ', bold('Triage OOM'), ' from its menu'],
    ]),
    note(
      acting ? 'Nothing is changed before somebody approves it.' : 'oombot reads; it changes nothing.',
      ' The same in a terminal: ',
      code('oom --help'),
    ),
  ]);
}

function actingItems(line: (command: string, says: string) => Words): Words[] {
  return [
    line('plan <incident>', 'what the finding offers, with its diff, cost and rollback'),
    line('plan <incident> set-args --max-model-len=8192', 'with an action and values of your own'),
    line('approve <plan>', 'or reject it, also with --reason="why"; the buttons do the same'),
    line('abort <run>', 'stop a run and roll it back; with --without-rollback it stays as it is'),
    line('go-on <run>', 'continue a restart that would cut requests in flight'),
    line('rollback <run>', 'roll back a run'),
    line('pause <reason>', 'stop all acting at once, everywhere; resume ends the pause'),
  ];
}
