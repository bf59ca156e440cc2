import { anyOf } from '../../../text/patterns.ts';
import { aim, type Lever } from './lever.ts';

/** What moves no memory: where it made the difference none ran out. */
export const OTHER_LEVERS: readonly Lever[] = [
  {
    names: anyOf(
      'i',
      /\b(?:initial_?Delay_?Seconds|failure_?Threshold|period_?Seconds|timeout_?Seconds|termination_?Grace_?Period\w*|progress_?Deadline\w*)\b/,
      /\b(?:liveness|readiness|startup)[- _]?probes?\b|\bgrace period\b|\bstart_period\b|探针/,
    ),
    aim: aim('none.probe-kill'),
    when: 'starting',
  },
  {
    names: anyOf(
      'i',
      /\bNCCL_(?!DEBUG)\w+|\bGLOO_SOCKET_\w+|\bdisable[-_]custom[-_]all[-_]reduce\b|\bhost_?Network\b/,
      /\bhost network\w*|--network[ =]host\b|\bufw\b|\bfirewall\w*|\biptables\b|\bIOMMU\b|\bACS\b/,
      /\bVLLM_HOST_IP\b|\bUCX_\w+|\bdist[-_]init[-_]addr\b|\b(?:put )?on one node\b|防火墙/,
    ),
    aim: aim('none.comm'),
    when: 'starting',
  },
  // Who joins a cluster, and in which order, moves no memory: the engine starts on what has joined.
  {
    names: anyOf(
      'i',
      /\b(?:nodes?|pods?|workers?|hosts?|machines?|ranks?|raylets?|replicas?|peers?)\b[^\n]{0,24}\b(?:join|register|connect)(?:s|ed|ing)?\b[^\n]{0,24}\b(?:one (?:by one|after (?:the other|another)|at a time)|in (?:turn|order)|staggered|sequentially|first)\b/,
      /\b(?:head|master|leader|driver)(?: node| pod)? (?:(?:comes?|is|was|starts?|started|brought) )?(?:up )?(?:(?:ready )?first|before the (?:others?|workers?|rest))\b/,
      /\b(?:once|after) the (?:head|master|leader)(?: node| pod)? (?:is|was) (?:up|ready)\b/,
      /先(?:起|启动)(?:主|head ?)节点/,
    ),
    aim: aim('none.comm'),
    when: 'starting',
    freesWaits: true,
  },
  {
    names: anyOf(
      'i',
      /--gpus[ =]\S+|--runtime[ =]nvidia\b|\bnvidia[-_]container[-_](?:toolkit|runtime)\b/,
      /\bdeploy\.resources\b|--device[ =]?nvidia/,
      /\b(?:newer|older|new|updat\w+|upgrad\w+|downgrad\w+|reinstall\w*) (?:the )?(?:nvidia |cuda |gpu )?drivers?\b/,
      /\bdriver \d{3}\b|\bbox with \d{3}\b|\bnative\.cgroupdriver\b|\b(?:rmmod|modprobe)\b|\bcu1[12]\d\b/,
      /\bCUDA 1[123]\.\d\b|\d{3} ?驱动|驱动 ?\d{3}|(?:更新|升级)驱动/,
    ),
    aim: aim('none.driver'),
    when: 'starting',
  },
  {
    names: /\bnvidia-smi -pl\b|\bpower (?:limit|cap)\w*\b/i,
    aim: aim('none.other'),
    when: 'serving',
  },
  {
    names: anyOf(
      'i',
      /\bpip3? install\b|\b(?:upgrad|updat)\w* (?:\w+ )?(?:of )?(?:transformers|tokenizers)\b/,
      /\btrust[-_]remote[-_]code\b|\bHF_TOKEN\b|\bHF_(?:ENDPOINT|HUB_OFFLINE)\b|\bhuggingface-cli login\b/,
      /\b(?:right|correct|absolute|full) path\b|\bchmod\b|\bre-?download\w*|\blocal path\b|\bwithout AVX\w*/,
      /升级[^\n，。；]{0,6}transformers|重新下载/,
    ),
    aim: aim('none.config', 'none.other'),
    when: 'starting',
  },
];
