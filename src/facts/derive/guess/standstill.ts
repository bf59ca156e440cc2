import type { Group } from '../draft.ts';
import { type Family, family, HINTS, once } from './family.ts';

const MACHINE =
  '(?:machine|node|host|box|VM|computer|desktop|workstation|Mac(?:Book| ?mini| ?Studio)?|system|PC|laptop|kernel|ssh|ping|mouse|screen|机器|整机|电脑)';
const FROZE =
  "(?:fr(?:ee|o)ze[sn]?|freezing|unresponsive|hangs|hung|to (?:hang|freeze|lock up)|locks? up|locked up|(?:stops?|stopped) (?:to |all )?(?:answer|respond|work)\\w*|(?:does|did|do)(?: not|n[’']t) (?:answer|respond)|no longer (?:answers|responds)|times out|power[- ]cycled?|卡死|死机|无响应)";
/** A whole machine that no longer answers. */
export const FROZEN_MACHINE = new RegExp(
  `(?<!\\b(?:on|of|operating) the |\\boperating |\\bfile )\\b(?:machine|box|VM|computer|desktop|workstation|laptop|system|host|node) stall(?:s|ed)\\b(?! (?:on|for|at|in) )|\\bsshd?\\b[^.;\\n]{0,24}\\btime[ds] out\\b|(?<!\\b(?:GPU|device|video|KV|cache) )\\b(?:hosts?|nodes?|machines?|box(?:es)?|system|RAM|memory|swap)\\b[^.;\\n]{0,16}\\bthrash(?:es|ed|ing)\\b(?![^.;\\n]{0,24}\\b(?:KV|blocks?|cache|pool|prefix)\\b)|\\bssh (?:and \\w{1,12} )?(?:is |was |are |were )?(?:dead|gone|down)\\b|\\bnode\\b[^.;\\n]{0,16}\\b(?:went|goes|became|turns|turned) NotReady\\b|\\bpower[- ]cycl\\w{1,3} (?:is |was )?needed\\b|\\b${MACHINE}\\b[^.;:\\n]{0,24}\\b${FROZE}|\\b(?:brings?|brought|takes?|took) (?:down )?the (?:whole |entire )(?:machine|node|host|box|server|instance|VM|computer)(?: down)?\\b|\\b(?:frozen|unresponsive) ${MACHINE}\\b|Kubelet stopped posting node status|(?:机器|整机|电脑)[^\\n]{0,8}(?:卡死|死机|无响应)`,
  'i',
);

/** A whole machine that no longer answers is short of RAM, most often. */
export const FROZEN: Family = {
  ...family('host', once('host.node-pressure'), FROZEN_MACHINE, HINTS),
  unless: /\bXid\b|fell off the bus|\bGPU (?:is lost|hang|hung)/,
};

/** Whether people noted that the whole machine no longer answered, or that the engine neither worked on nor ended. */
export function deriveStandstill(): Group {
  return {};
}
