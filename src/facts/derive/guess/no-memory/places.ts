import { anyOf, beside } from '../../../text/patterns.ts';
import { named, type Tale } from './tale.ts';

const DISK = String.raw`(?:(?<!\S)\/(?:var|tmp|root|home|data|mnt|opt)\b\S{0,60}|\b(?:disks?|root (?:fs|disk|partition)|filesystem|hf[- _]cache|hugging ?face cache|cache (?:dir\w*|folder)|PVC|volume|overlay2?|docker root|emptyDir|ephemeral[- ]storage|download\w*|image layers?|inodes?)\b)`;
const FULL = String.raw`(?:\bno space left\b|\b(?:is|was|runs?|ran|gets?|got|are) (?:\w+ )?full\b|\bfull\b(?= (?:of|at|by|again|after|now|since))|(?<=disk|PVC|volume) full\b|(?<!download[^\n]{0,20})\b(?:9[5-9]|100) ?%(?! ?(?:CPU|GPU))|\bout of space\b|(?<!memory )\bexhausted\b|\bfill(?:s|ed)?(?: up)?\b|\bbreaks? (?:off )?at\b)`;
const ERROR =
  /\b(?:os error|errno) 28\b|\bENOSPC\b|(?:磁盘|硬盘|根分区|系统盘|数据盘)[^，。；\n]{0,8}(?:满|不足|不够|用完)/i;

/** Where there is no place for a pod, or for a file. */
export const PLACES: readonly Tale[] = [
  named(
    'none.scheduling',
    anyOf(
      'i',
      /\b(?:no|without|lacks?|zero|exceed\w*|over(?: the)?|GPU|insufficient|regional|vCPU|out of) quota\b/,
      /\bquota\b[^\n]{0,40}\b(?:exceed\w*|zero|0\b|exhausted|used up|denied|missing|request\w*|increase)/,
      /\bno (?:GPU )?nodes?\b(?= (?:with|has|have|available|free|for|in|is|that|can)|[,;.])/,
      /\bno (?:spare |free )?capacity\b|\bout of capacity\b|\binsufficient capacity\b/,
      /\bcapacity\b[^\n]{0,24}\b(?:region|zone)\b/,
      /\bnode ?(?:pool|group|selector|affinity)s?\b[^\n]{0,60}\b(?:empty|0|zero|max\w*|not|no|wrong|match\w*)\b/,
      /\b(?:un)?tolerat(?:ed|ions?)\b|\btaint\w*\b|\bnot scheduled\b/,
      /\bcan(?:not|['’]t) be (?:scheduled|placed)\b/,
      /\b(?:autoscaler|karpenter)\b[^\n]{0,60}\b(?:not|no|never|fail\w*|does)\b|\bno free GPUs?\b/,
      /\ball (?:\d+ )?GPUs (?:are |were )?(?:taken|allocated|claimed|requested|in use)\b|\bRESOURCEREADY\b/,
      /\b(?:Kueue|ClusterQueue|LocalQueue|Volcano)\b[^\n]{0,60}\b(?:no|not|holds?|left|waits?|pending|suspended)\b/,
      /\bnot admitted\b|\bnode ?selector\b[^\n]{0,60}\b(?:only|has|no|not|none|says?)\b/,
      /\bresource ?quotas?\b|\b(?:replica ?set|deployment|job) (?:has|shows|stays at) 0 (?:pods|replicas)\b/,
      /配额|调度(?:失败|不上|不了)|没有?可用(?:的)?(?:节点|GPU)|资源不足[^\n]{0,6}调度/,
    ),
    /\bplacement groups?\b[^\n]{0,48}\b(?:exhausted|pending|infeasible|never (?:ready|created)|waits?|not (?:created|placed|ready))\b/i,
    anyOf(
      'i',
      /\b(?:pods?|job|workspace|replicas?|predictor|PVC|claim)\b[^\n]{0,40}\b(?:stays?|is|are|remains?|still|stuck|sits?|in|since|for ever)\b[^\n]{0,12}\bPending\b/,
      /\bPending\b[^\n]{0,24}\b(?:since|for (?:\d|an?|hours|days|ever)|all (?:day|night))/,
      /一直[^\n]{0,4}Pending|Pending[^\n]{0,6}状态/,
    ),
  ),
  named(
    'none.other',
    beside(DISK, FULL, 60),
    ERROR,
    /\bdisk[- ]?pressure\b|\bephemeral[- ]storage\b[^\n]{0,40}\b(?:exceed\w*|limit|full)/i,
  ),
];
