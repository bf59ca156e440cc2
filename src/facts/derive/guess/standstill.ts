import type { Fact } from '../../../model/fact.ts';
import { known } from '../../pod/finding.ts';
import type { Evidence } from '../evidence.ts';
import { type Family, family, HINTS, once } from './family.ts';
import { remarkLines } from './remark-lines.ts';

const MACHINE =
  '(?:machine|node|host|box|VM|computer|desktop|system|PC|laptop|kernel|ssh|ping|mouse|screen|机器|整机|电脑)';
const FROZE =
  "(?:fr(?:ee|o)ze[sn]?|freezing|unresponsive|hangs|hung|locks? up|locked up|(?:stops?|stopped) (?:to |all )?(?:answer|respond|work)\\w*|(?:does|did|do)(?: not|n[’']t) (?:answer|respond)|no longer (?:answers|responds)|times out|power[- ]cycled?|卡死|死机|无响应)";
const NO_MORE =
  '(?:\\b(?:no|not a|without (?:any|a)) (?:(?:further|more|new|other|single) )?(?:lines?|output|logs?|messages?|progress|word|tokens?|answers?|repl(?:y|ies)|response)\\b|\\bnothing (?:more|further|else|after (?:this|that|it))\\b)';

// A memory that stands at its level, or is never given back, is what there is to tell; so is a pod that is started again.
const SPEAKS_OF_MEMORY =
  '\\b(?:memory|ram|vram|rss|swap|oom\\w*|kv(?:[ -]cache)?)\\b[^.;\\n]{0,40}(?:\\d ?%|\\d ?[GM]i?B|\\b(?:full|gone|limit|grow\\w*|returns?|given back|level|stuck|used up|exhausted)\\b)|\\d ?[GM]i?B ?(?:\\/|of) ?\\d|CrashLoopBackOff|显存|内存';

/** A whole machine that no longer answers. */
export const FROZEN_MACHINE = new RegExp(
  `\\bssh\\b[^.;\\n]{0,24}\\btimed out\\b|\\bpower[- ]cycl\\w{1,3} (?:is |was )?needed\\b|\\b${MACHINE}\\b[^.;\\n]{0,24}\\b${FROZE}|Kubelet stopped posting node status|(?:机器|整机|电脑)[^\\n]{0,8}(?:卡死|死机|无响应)`,
  'i',
);

/**
 * What people note of something that stands still. A whole machine that no longer answers is short of RAM, most often; a
 * process that waits for ever waits for another process, a lock or a device.
 */
const STANDSTILL: readonly Family[] = [
  {
    ...family('host', ['host.node-pressure', 'host.node-pressure'], FROZEN_MACHINE, HINTS),
    unless: /\bXid\b|fell off the bus|\bGPU (?:is lost|hang|hung)/,
  },
  {
    ...family(
      'none',
      once('none.other'),
      new RegExp(
        `\\b(?:hangs?|hanging|hung|is stuck|gets? stuck|got stuck|stuck (?:at|in|on|for|there)|never (?:returns?|finish(?:es)?|ends|comes up|gets ready|answers)|freezes|deadlocks?)\\b|(?:卡住|卡死|卡在)|^(?=[^\\n]{0,160}(?:\\d ?(?:s|sec|min|minutes?|h|hours?)\\b|by hand|for ever|forever))[^\\n]{0,60}?${NO_MORE}`,
        'i',
      ),
      HINTS,
    ),
    unless: new RegExp(SPEAKS_OF_MEMORY, 'i'),
  },
];

/** The same where so many ranks run: one of several that stands still waits for another of them, most often. */
export function standstillOf(ranks: number): readonly Family[] {
  if (ranks < 2) return STANDSTILL;
  return STANDSTILL.map((one) =>
    one.plane === 'none' ? { ...one, starting: 'none.comm', serving: 'none.comm' } : one,
  );
}

/** Whether people noted that the whole machine no longer answered. */
export function readFrozen(evidence: Pick<Evidence, 'readings'>): Fact | undefined {
  const told = remarkLines(evidence).find(({ text }) => FROZEN_MACHINE.test(text));
  return told && known(true, told.from);
}
