import { anyOf, beside, oneOf } from '../../../text/patterns.ts';
import { tellsOfEnd } from './outcome.ts';
import { likely, named, type Tale, unless } from './tale.ts';

const PEER = oneOf(
  String.raw`\b(?:other|second|first|head|master|remote|worker|ray) (?:nodes?|hosts?|machines?|pods?|ranks?|head)\b`,
  String.raw`\b(?:the|each) (?:other|head|master|peers?)\b`,
  String.raw`\b(?:rank|node|peer|prefill|decode)s? ?\d?\b`,
  String.raw`\d+\.\d+\.\d+\.\d+:\d{2,5}|\bhead\b(?! ?room)|\bleader\b|\bprefill instance\b`,
  '节点|另一[台个节]\\S{0,2}|主节点|对端|两[台个]节?[点机]',
);
const CUT_OFF = oneOf(
  String.raw`(?:can(?: ?not|['’]t)|could(?: not|n['’]t)|unable to|fail(?:s|ed) to) (?:be )?(?:reach|connect|see|ping|resolve|talk)\w*`,
  String.raw`unreachable|not reach(?:ed|able)|connect\w*(?: to \S{1,60})? (?:was )?(?:refused|timed? ?out|reset|lost)|blocked`,
  '连不上|不通|无法连接|连接(?:失败|超时|被拒)',
);
const WALL = String.raw`(?:\bufw\b|\bfirewalld?\b|\biptables\b|\bsecurity[- ]group\b|\bnetwork ?polic(?:y|ies)\b|防火墙|安全组)`;
const OPENED = String.raw`(?:\boff\b|\bdisabl\w+|\bopen(?:ed|ing)?\b|\bstop(?:ped)?\b|\bblock\w*|\ballow\w*|\bdrop\w*|\bclosed\b|\bactive\b|\benabled\b|\brules?\b|\bbetween\b|关|放开|开放|拦)`;
const CARRIER = String.raw`(?:\b(?:NCCL|RCCL|HCCL|gloo|all[-_]?(?:reduce|gather)|broadcast|collectives?|barrier|process group|rendezvous|TCPStore|init_process_group|init_distributed\w*|torch\.distributed|EFA|RDMA|InfiniBand|RoCE|NVSHMEM|P2P|IPC handles?|NVLink)\b|通信|集合通信)`;
const WAITS_OUT = String.raw`(?:\btim(?:es?|ed|ing)[- ]?out\b|\btimeouts?\b|\bwatchdog\b|超时)`;

// Those who are left wait as well, whatever the one died of.
const WAITING: Tale = likely(
  'none.comm',
  /\b(?:one|a|another|some) (?:rank|node|worker|peer|shard)\b[^\n]{0,24}\b(?:stops? answer\w*|no longer answers|stops? respond\w*|does not answer|never (?:joins|arrives|connects)|lags)/i,
  /\bwatchdog\b[^\n]{0,40}\b(?:ranks?|others?)\b|\b(?:rank|head|master|driver|nodes?|workers?|ranks|each|both|all)\b[^.;\n]{0,16}\bwait(?:s|ing)? (?:for ever )?(?:for|on|in) (?:an?|the|each|all|its|\d{1,3})? ?(?:other|peers?|ranks?|nodes?|workers?|head|\d{0,3} ?GPUs|all[-_]?(?:reduce|gather)|broadcast|barrier|collective)/i,
  /(?:节点|机器|rank|进程|卡)[^\n]{0,8}(?:互相|一直)等待?[^\n]{0,8}(?:对方|其他|另|rank|节点|主)/i,
);

// Who waits in a collective polls, and keeps its card busy; the one they wait for does nothing (gpu/ranks-spin.ts).
const SPINS: Tale = unless(
  /\b(?:memory|VRAM|holds?|held|used|full)\b|[显内]存/i,
  likely(
    'none.comm',
    /\b(?:all but one|all others?|the others?|the rest|(?:one|three|five|six|seven|[1-7]) (?:of (?:the )?)?(?:two|four|six|eight|[2-8])?)(?: (?:cards|GPUs|devices|ranks))?\b[^.;\n]{0,24}\b100 ?%[^.;\n]{0,40}\b0 ?%|(?:卡|GPU)[^\n。]{0,12}100 ?%[^\n。]{0,16}(?:卡|GPU|一张)[^\n。]{0,8}(?<!\d)0 ?%/i,
  ),
);

/** What passes between processes, cards and nodes. */
export const APART: readonly Tale[] = [
  named(
    'none.comm',
    beside(PEER, CUT_OFF, 40),
    beside(WALL, OPENED, 30),
    beside(CARRIER, WAITS_OUT, 60),
    anyOf(
      'i',
      /\b(?:wrong|docker0|loopback|other) (?:network )?(?:interface|NIC)\b/,
      /\b(?:wrong|picks?|binds? to|takes|uses|chose) (?:the )?(?:interface\b|docker0|virbr0|lo\b|127\.0\.0\.1)/,
      /(?:GLOO|NCCL|TP)_SOCKET_IFNAME\b|(?:选|用|走)(?:了|错)[^\n]{0,6}网卡|网卡(?:选错|不对)/,
    ),
    anyOf(
      'i',
      /\bpeer[- ](?:to[- ]peer|access)\b[^\n]{0,30}\b(?:not (?:supported|available|possible|work\w*)|broken|disabled|hang\w*|corrupt\w*)/,
      /\bACS\b[^\n]{0,30}\b(?:on|enabled|off|disabled)\b/,
      /\bIOMMU\b[^\n]{0,40}\b(?:hang\w*|stuck|off|disabled|NCCL)/,
    ),
  ),
  ...[WAITING, SPINS].map((tale) => ({ ...tale, tells: (text: string) => tale.tells(text) && !tellsOfEnd(text) })),
];

/** Words of what has more than one part, for something that stands still. */
export const OF_SEVERAL = new RegExp(
  String.raw`${CARRIER}|${WALL}|\b(?:ranks?|nodes|multi-?node|two (?:machines|boxes|hosts|pods)|head(?! ?room)|peers?|cards? \d ?(?:\+|and|&|,) ?\d|GPUs? \d ?(?:\+|and|&|,) ?\d|tp ?=? ?[2-9]|tensor[- ]parallel|pipeline[- ]parallel|shm_broadcast|prefill and decode|PD (?:split|disagg\w*)|all \d{1,3} GPUs)\b|(?:双|多|两|[2-8])(?:机|卡|张卡|节点)|分布式`,
  'i',
);

/** A server behind a proxy, a probe or a name that is not reached at all. */
export const UNREACHED: readonly Tale[] = [
  likely(
    'none.comm',
    /\b(?:DNS|proxy|http_proxy|ingress|gateway|load balancer|service mesh|istio|sidecar)\b[^\n]{0,60}\b(?:refus\w*|time(?:s|d)?[- ]?out|closes?|cuts?|drops?|50[234]|blocks?)\b/i,
  ),
];
