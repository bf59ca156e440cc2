import type { Block, Choice, Message } from '../../model/message.ts';
import { spanWords } from '../../report/words/span-words.ts';
import { CAPS } from '../limits/message-limits.ts';
import { sparklines } from './chart.ts';
import { clean, defuse, EMOJI, escapeWithin } from './text.ts';

/** A message without blocks, as Slack takes it in `text` of posts and updates (4,000 bytes): for when its blocks are refused. In the place of its buttons is what can be typed after `command`. */
export function drawPlain(message: Message, command?: string): string {
  const asked = command === undefined ? [] : [...(message.choices ?? []), ...(message.menu ?? [])];
  const typed = asked.flatMap((choice) => typedFor(choice, command ?? ''));
  const lines = [message.summary, ...message.blocks.flatMap(linesOf), ...typed];
  const text = escapeWithin(defuse(clean(lines.join('\n'))), CAPS.plainText);
  return withinBytes(text, CAPS.plainTextBytes);
}

const ALONE = new Set<Choice['asks']>(['status', 'handover']);
const WHOLE = new Set<Choice['asks']>(['plan', 'changes', 'explain']);
const VERBS: Partial<Record<Choice['asks'], string>> = {
  ...{ 'triage-candidate': 'triage', explain: 'explain', status: 'status', plan: 'plan', approve: 'approve' },
  ...{ reject: 'reject', abort: 'abort', 'go-on': 'go-on', 'roll-back': 'rollback', ack: 'ack', resolve: 'resolve' },
  ...{ changes: 'changes', handover: 'handover', fix: 'fix' },
};

// Nothing can be typed in the place of a form. The hash of a plan is its button's alone.
function typedFor({ asks, label, value }: Choice, command: string): string[] {
  const verb = VERBS[asks];
  if (verb === undefined) return [];
  const rest = WHOLE.has(asks) ? value : (value.split(' ', 1)[0] ?? '');
  return [`• ${label.replace('…', '')}: type ${command} ${verb}${ALONE.has(asks) ? '' : ` ${rest}`}`];
}

function linesOf(block: Block): string[] {
  switch (block.kind) {
    case 'headline':
      return [`${EMOJI[block.mark]} ${spanWords(block.spans)}`];
    case 'paragraph':
    case 'note':
      return [spanWords(block.spans)];
    case 'row':
      return [`• ${spanWords(block.spans)}`];
    case 'list':
      return [block.title, ...block.items.map((item) => `• ${spanWords(item)}`)];
    case 'quote':
      return [block.title, ...block.lines.map((line) => `  ${line}`)];
    case 'progress':
      return [block.title, ...block.steps.map((s) => `• ${s.title}: ${s.status}${s.detail ? `, ${s.detail}` : ''}`)];
    case 'chart':
      return [block.title, ...sparklines(block)];
    case 'buttons':
      return [];
  }
}

// Entities are pure ASCII, so what could be cut in half here are only characters, and Buffer marks those.
function withinBytes(text: string, max: number): string {
  if (Buffer.byteLength(text) <= max) return text;
  const cut = Buffer.from(text)
    .subarray(0, max - 3)
    .toString('utf8')
    .replace(/\ufffd+$/, '');
  return `${cut.replace(/&[a-z]{0,3}$/, '')}…`;
}
