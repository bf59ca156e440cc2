import { z } from 'zod';
import type { Catalogues } from './compiled.ts';
import { COMPARISONS, GROUPS, PlaybookPart } from './format.ts';

/** The JSON schema of a file of a playbook for editors: it completes facts, actions and words, and underlines what does not fit. */
export function playbookJsonSchema({ facts, actions }: Catalogues): Record<string, unknown> {
  const schema = z.toJSONSchema(PlaybookPart, {
    target: 'draft-7',
    override: ({ jsonSchema }) => {
      if (jsonSchema.id === 'fact') jsonSchema.enum = facts.map(({ id }) => id);
      if (jsonSchema.id === 'condition') jsonSchema.oneOf = conditionShapes();
      const action = jsonSchema.properties?.action;
      if (typeof action === 'object') action.enum = actions.map(({ id }) => id);
      delete jsonSchema.id;
    },
  });
  return { ...schema, title: 'oombot playbook' };
}

// A group alone, or a fact with one comparison: what the refinement of the zod schema says in code.
function conditionShapes(): { required: string[] }[] {
  const facts = COMPARISONS.map((comparison) => ({ required: ['fact', comparison] }));
  return [...GROUPS.map((group) => ({ required: [group] })), ...facts];
}
