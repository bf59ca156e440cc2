import { z } from 'zod';
import { playbookJsonSchema } from '../playbook/json-schema.ts';
import type { PlaybookCommandDeps } from './playbook.ts';
import { table } from './playbook-lines.ts';
import { EXIT } from './terminal.ts';

type ListDeps = Pick<PlaybookCommandDeps, 'terminal' | 'catalogues'>;
type Listed = ListDeps['catalogues']['facts'][number];

// More than these of a fact's values say less about it than its sentence.
const VALUES_SHOWN = 6;

export type FactsOptions = {
  readonly word?: string | undefined;
  /** Look for the word among values too, and print all of them. */
  readonly values?: boolean;
};

/** `oom playbook facts [word]`: the facts a playbook may ask for; with a word those that have it in their id or sentence, and where none has, those that take it as a value. */
export function playbookFacts(
  { terminal, catalogues }: ListDeps,
  { word = '', values = false }: FactsOptions = {},
): number {
  const wanted = word.toLowerCase();
  const has = (text: string) => text.toLowerCase().includes(wanted);
  const named = catalogues.facts.filter(({ id, says }) => has(id) || has(says));
  const taking = catalogues.facts.filter((fact) => !named.includes(fact) && (fact.values ?? []).some(has));
  const found = values || named.length === 0 ? [...named, ...taking] : named;
  if (found.length === 0) {
    terminal.err(`no fact with "${word}" in its name, text or values`);
    return EXIT.failed;
  }
  const areAll = values || found.length === 1;
  const rows = found.map((fact) => [fact.id, fact.unit, sentence(fact, has, areAll)]);
  for (const line of table(rows, terminal)) terminal.out(line);
  if (named.length === 0) terminal.err(`no fact with "${word}" in its name or text; these have it as a value`);
  else if (!values && taking.length > 0 && wanted !== '')
    terminal.err(
      `${taking.length} more ${taking.length === 1 ? 'fact has' : 'facts have'} "${word}" as a value: add --values`,
    );
  return EXIT.ok;
}

// Values with the word come first.
function sentence({ onlyWhere, ...fact }: Listed, has: (text: string) => boolean, areAll: boolean): string {
  const { values } = fact;
  const says = onlyWhere === undefined ? fact.says : `${fact.says}; known only where ${onlyWhere}`;
  if (values === undefined) return says;
  const ordered = [...values.filter(has), ...values.filter((value) => !has(value))];
  // One that is left out would take as much room as it saves.
  if (areAll || values.length <= VALUES_SHOWN + 1) return `${says}: ${(areAll ? values : ordered).join(', ')}`;
  return `${says}: ${ordered.slice(0, VALUES_SHOWN).join(', ')} and ${values.length - VALUES_SHOWN} more`;
}

/** `oom playbook actions`: the actions a finding may offer, with the keys that `with` takes. */
export function playbookActions({ terminal, catalogues }: ListDeps): number {
  const rows = catalogues.actions.map(({ id, says, parameters }) => {
    const keys = Object.keys(z.toJSONSchema(parameters).properties ?? {});
    return [id, keys.length === 0 ? '-' : keys.join(', '), says];
  });
  for (const line of table(rows, terminal)) terminal.out(line);
  return EXIT.ok;
}

/** `oom playbook schema`: the JSON schema for editors; playbooks/schemas/playbook.schema.json is the same, formatted. */
export function playbookSchema({ terminal, catalogues }: ListDeps): number {
  terminal.out(JSON.stringify(playbookJsonSchema(catalogues), null, 2));
  return EXIT.ok;
}
