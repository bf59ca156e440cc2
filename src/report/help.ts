import { bold, code, type Message } from '../model/message.ts';
import { list, note, say, type Words } from './words/sentence.ts';

/** The commands, with examples to copy. */
export function helpMessage(commandName: string, { acting = false }: { acting?: boolean } = {}): Message {
  const line = (command: string, says: string): Words => [code(`${commandName} ${command}`), ` ${says}`];
  return say('info', 'oombot finds which memory of a pod failed, when and why, with evidence.', [
    ...list('Commands', [
      line('triage <pod>', 'diagnoses the pod and posts the finding here'),
      line('triage prod/llm/vllm-0 vllm', 'with cluster, namespace and container'),
      line('explain <incident>', 'cause, evidence and decision path; --all lists everything not ruled out'),
      line('explain swap space', 'what a popular fix does, and what to do instead'),
      line('explain vllm', 'flags and behaviors by version; explain --max-num-seqs has one flag'),
      line('status', 'open incidents'),
      line('ack <incident>', 'tells the channel that you are on it'),
      line('resolve <incident> <reason>', 'closes it; it reopens if it fails again'),
      line('feedback <incident> yes', 'the finding was right; if not: no <cause>'),
      line(
        'history <workload>',
        'open and closed incidents; search with --cause cuda oom, --since 7d, --until 2026-11-01',
      ),
      line('fix <incident>', 'the permanent fix, with patches for Git; changes nothing'),
      line('export <incident>', 'post-mortem draft and evidence as files, in the thread'),
      line('handover', 'what the next shift must know; handover <incident> gives its five points'),
      line('silence <workload> 4h <reason>', 'keeps it out of shift handovers; off ends it'),
      line('budget <pod or incident>', 'GPU memory of the engine and KV cache capacity'),
      line('budget <pod or incident> --max-model-len=8192', 'the same with a changed argument'),
      line('help', 'this message'),
    ]),
    ...(acting ? list('Acting, for approvers', actingItems(line)) : []),
    ...list('Ways to name a pod', [
      ['its name, the start of its name, its workload, or a pod that was replaced'],
      ['a pasted line from ', code('kubectl get pods'), ', optionally with ', code('-n <namespace>')],
      ['a message with its name: choose ', bold('Triage OOM'), ' in the message menu'],
    ]),
    note(
      acting ? 'Nothing is changed without approval.' : 'oombot only reads; it changes nothing.',
      ' In a terminal: ',
      code('oom --help'),
    ),
  ]);
}

function actingItems(line: (command: string, says: string) => Words): Words[] {
  return [
    line('plan <incident>', 'the mitigation, with its diff, impact and rollback'),
    line('plan <incident> set-args --max-model-len=8192', 'another action or other values'),
    line('approve <plan>', 'approves it, like the button; reject <plan> takes --reason="why"'),
    line('abort <run>', 'stops a run and rolls it back; --without-rollback leaves it as it is'),
    line('go-on <run>', 'continues a restart that cuts requests in flight'),
    line('rollback <run>', 'rolls back a run'),
    line('changes', 'lists temporary changes by expiry; extends, closes or makes one permanent'),
    line('pause <reason>', 'stops all acting at once, everywhere; resume ends the pause'),
  ];
}
