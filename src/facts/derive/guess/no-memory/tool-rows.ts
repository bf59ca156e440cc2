import { likely, named, type Tale, unless } from './tale.ts';

// What a table or a journal shows of a death that was of another kind.
const OF_MEMORY = /\bOUT_OF_ME|\boom\b|\bOOMKilled\b/i;

/**
 * Rows of tools that start, place and stop programs: Slurm (man pages of squeue and sacct, JOB STATE CODES and JOB REASON
 * CODES), systemd (systemd.exec(5), process exit codes), `docker ps`, and the events of those who look after nodes.
 */
export const TOOL_ROWS: readonly Tale[] = [
  likely(
    'none.scheduling',
    /^\s*\d{1,10}(?:[_+]\S{1,40})?\s[^\n]{0,120}\s(?:PD|PENDING)\s[^\n]{0,80}\(\w[^)\n]{0,80}\)\s*$/,
    /\bJobState=PENDING\b/,
    /: \d{1,6}\+? pending (?:tasks\/actors|placement groups)/,
  ),
  unless(
    OF_MEMORY,
    likely(
      'none.other',
      /^\s*\d{1,10}(?:[._+]\S{1,40})?\s[^\n]{0,120}?(?:TIMEOUT|NODE_FAIL|PREEMPTED|DEADLINE|BOOT_FAIL|REVOKED|CANCELLED by \d{1,10})(?:\s|$)/,
      /\bJobState=(?:TIMEOUT|NODE_FAIL|PREEMPTED|DEADLINE|BOOT_FAIL|REVOKED|CANCELLED)\b/,
    ),
  ),
  // Who looks after the nodes took this one, or the pod from it (cluster-autoscaler, Karpenter, aws-node-termination-handler,
  // the kubelet's own start).
  named(
    'none.other',
    /\b(?:TriggeredScaleDown|ScaleDown)\s+\S{1,20}\s+cluster-autoscaler\b|\bdeleting pod for node scale down\b/,
    /\bEvicted\s+\S{1,20}\s+karpenter\b|\b(?:DisruptionTerminating|Disrupted|SpotInterrupted|SpotInterruption|InstanceTerminating|InstanceStopping|RebalanceRecommendation)\s+\S{1,20}\s+karpenter\b/,
    /\bNode \S{1,253} has been rebooted, boot id: /,
    /\b(?:NodeShutdown|Drain(?:Started|Succeeded)?|Drained|NodeDrain\w{0,20})\s+\S{1,20}\s+\S{1,60}\s+\S/,
  ),
  // Fewer replicas were asked for; the pods that go are told to end.
  likely(
    'none.other',
    /\b(?:SuccessfulDelete|SuccessfulRescale)\s+[^\n]{0,80}\b(?:Deleted pod: \S|New size: \d+; reason: All metrics below target)/,
  ),
  // systemd's own patience (systemd.service(5), TimeoutStartSec and TimeoutStopSec), autoheal's and Swarm's.
  named(
    'none.probe-kill',
    /\.service: (?:start operation timed out\b|State 'stop-\w{1,20}' timed out\. Killing)/,
    /\bfound to be unhealthy - Restarting container\b|\bdockerexec: unhealthy container\b/,
  ),
  // A unit that a timer or a person stops ends in order.
  likely('none.other', /\bsystemd\[\d{1,7}\]: \S{1,80}\.service: Deactivated successfully\.\s*$/),
  likely('none.config', /\bstatus=2(?:[01]\d|2[0-9]|3\d|4[0-3])\/[A-Z_]{2,24}\b/),
  // 126 and 127 are a shell's for a command that it can not run or find, 2 argparse's for arguments that it does not know.
  likely('none.config', /\b(?:Exited|Restarting) \((?:2|125|126|127)\)/),
  likely('none.other', /\b(?:Exited|Restarting) \((?:132|134|136|139)\)/),
];
