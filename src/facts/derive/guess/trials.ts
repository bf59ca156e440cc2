import { FAILS, type Family, family, once } from './family.ts';
import { EAGER } from './tried.ts';

const WORKS = String.raw`\b(?:works?|worked|starts?|started|runs?|serves?|is fine|(?:comes|came) up|no (?:error|crash|failure))\b|正常|可以启动`;
const APART = String.raw`(?:[^.;,\n]|\.(?=\d)){0,32}`;

// What worked where the rest did not: by `with A it works` and `works with A`.
function cured(knob: string): RegExp {
  return new RegExp(
    String.raw`(?:${WORKS})${APART}\b(?:with|at|after|once|on|using|by)\b${APART}(?:${knob})|\b(?:with|at|after|once|on|using)\b${APART}(?:${knob})${APART}(?:${WORKS})|(?:${WORKS}),? (?:only )?(?:with )?(?:${knob})|(?:${knob})${APART}\bdoes\b(?! not)`,
    'i',
  );
}

const LENGTH = String.raw`--?max[-_]model[-_]len|\bmax_model_len|\bcontext[- ]length|\b(?:shorter|smaller) context|\bcontext of \d|\bn_ctx\b|--ctx-size`;
// By its flag alone: how busy a GPU is, is called utilization as well.
const FRACTION = String.raw`gpu[-_]memory[-_]utilization|mem[-_]fraction[-_]static|\butili[sz]ation of 0\.`;
const SMALLER = String.raw`\b[48][- ]bit\b|\bAWQ\b|\bGPTQ\b|\bquanti[sz]ed\b|\b(?:smaller|\d{1,2}B) model\b|\b(?:80|96|141) ?GB? (?:card|GPU)\b`;
const SHM = String.raw`--?shm[-_]size|/dev/shm\b|--ipc[= ]host`;
const LIMIT = String.raw`\bmemory limit\b|\blimit of \d{1,4} ?Gi?B?\b|\bmore RAM\b|\b\d{1,4} ?Gi?B? of RAM\b`;
const CONCURRENCY = String.raw`\b\d{1,4} (?:concurrent |parallel )?(?:users?|requests?|clients?)\b|max[-_]num[-_]seqs|max[-_]running[-_]requests|\blower concurrency|\bfewer requests`;
const COMMUNICATION = String.raw`\bNCCL_(?:P2P|IB|SHM|SOCKET)_\w+|--disable-custom-all-reduce`;

/** What people tried, and with what it went well: what the knob moves is what was short. Read where nothing else points anywhere. */
export const TRIALS: readonly Family[] = [
  family('host', once('host.shm'), cured(SHM), FAILS),
  family('host', once('host.startup.limit'), cured(LIMIT), FAILS),
  family('none', once('none.comm'), cured(COMMUNICATION), FAILS),
  family('gpu', ['gpu.startup.graph-capture', 'gpu.burst.headroom'], cured(EAGER.source), FAILS),
  family('gpu', ['gpu.startup.utilization', 'gpu.burst.headroom'], cured(FRACTION), FAILS),
  family('gpu', ['gpu.startup.kv-room', 'gpu.burst.long-context'], cured(LENGTH), FAILS),
  family('gpu', ['gpu.startup.weights', 'gpu.burst.headroom'], cured(SMALLER), FAILS),
  family('gpu', ['gpu.startup.kv-room', 'gpu.burst.concurrency'], cured(CONCURRENCY), FAILS),
];
