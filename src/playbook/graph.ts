import type { Condition, Playbook, Target } from './compiled.ts';

/** The playbook as a Mermaid flow chart. */
export function drawGraph(playbook: Playbook): string {
  const lines = [
    'flowchart TD',
    ...playbook.questions.map(({ id, ask }) => `  q_${id}{"${escapeLabel(ask)}"}`),
    ...playbook.findings.map(({ id, plane }) => `  f_${id}["${escapeLabel(id)}<br/>${plane}"]`),
  ];
  for (const { id, branches, otherwise } of playbook.questions) {
    for (const [index, branch] of branches.entries()) {
      const label = `${index + 1}. ${branch.id}: ${signature(branch.condition)}`;
      lines.push(`  q_${id} -->|"${escapeLabel(label)}"| ${nodeOf(branch.then)}`);
    }
    lines.push(`  q_${id} -->|"otherwise"| ${nodeOf(otherwise)}`);
  }
  return `${lines.join('\n')}\n`;
}

function nodeOf({ kind, id }: Target): string {
  return `${kind === 'question' ? 'q' : 'f'}_${id}`;
}

/** A condition in one line. */
export function signature(condition: Condition): string {
  if (condition.kind === 'fact') return condition.text;
  if (condition.kind === 'not') return `not (${signature(condition.of[0])})`;
  const parts = condition.of.map((part) =>
    part.kind === 'all' || part.kind === 'any' ? `(${signature(part)})` : signature(part),
  );
  return parts.join(condition.kind === 'all' ? ' and ' : ' or ');
}

// Inside quotes Mermaid reads HTML and entities; `#` starts an entity of its own.
function escapeLabel(text: string): string {
  const entities: Readonly<Record<string, string>> = {
    '#': '#35;',
    '"': '#quot;',
    '<': '#lt;',
    '>': '#gt;',
    '&': '#amp;',
  };
  return text.replace(/[#"<>&]/g, (sign) => entities[sign] ?? sign);
}
