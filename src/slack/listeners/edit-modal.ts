import type { View } from '@slack/types';
import { z } from 'zod';
import {
  checkValues,
  type EditedValue,
  type EditField,
  type EditForm,
  sayRange,
} from '../../app/acting/plan/edit-form.ts';
import { MEMORY_LIMIT, rangeOfFlag } from '../../model/flag-values.ts';
import { capital } from '../../model/format-value.ts';
import { oneLine } from '../draw/text.ts';

export const EDIT_CALLBACK = 'oom:edit';

const FIELDS = 20;
const METADATA = 3000;
const VALUE = 1000;
const FIELD = 'value';

// The bounds travel with the form, so that it can be answered without a read. Slack signs them, and the plan is checked
// again in any case.
const Metadata = z.object({
  plan: z.string(),
  conversation: z.string(),
  fields: z.array(z.object({ flag: z.string(), min: z.number().nullable(), max: z.number().nullable() })),
});
type Metadata = z.infer<typeof Metadata>;

const Submitted = z.object({
  private_metadata: z.string(),
  state: z.object({
    values: z.record(z.string(), z.record(z.string(), z.object({ value: z.string().nullish() }))),
  }),
});

/** The values of a plan as a modal, one field for each. */
export function drawEditModal({ planId, name, fields }: EditForm, conversation: string): View & { type: 'modal' } {
  const shown = fields.slice(0, FIELDS);
  return {
    type: 'modal',
    callback_id: EDIT_CALLBACK,
    title: plainText('Edit plan'),
    submit: plainText('Make new plan'),
    close: plainText('Cancel'),
    private_metadata: metadataOf(planId, conversation, shown),
    blocks: [
      {
        type: 'section',
        text: plainText(`${capital(oneLine(name, 300))}. Your changes become a new plan, which needs approval.`),
      },
      ...shown.map((field, index) => ({
        type: 'input' as const,
        block_id: blockId(index),
        label: plainText(oneLine(field.flag, 300)),
        hint: plainText(oneLine(hintOf(field), 500)),
        optional: true,
        element: elementOf(field),
      })),
    ],
  };
}

const NUMBER = /^-?\d+(?:\.\d+)?$/;

// A number between two bounds; a size such as 96Gi, or a value without bounds, is typed as text.
function elementOf({ flag, from, to, min, max }: EditField) {
  const initial = to === null || to === '' ? {} : { initial_value: to.slice(0, VALUE) };
  const value = to ?? from ?? '';
  if (flag === MEMORY_LIMIT || min === null || max === null || !NUMBER.test(value)) {
    return { type: 'plain_text_input' as const, action_id: FIELD, max_length: VALUE, ...initial };
  }
  const [low, high] = [String(min), String(max)];
  const isDecimal = [low, high, value].some((one) => one.includes('.'));
  const bounds = { is_decimal_allowed: isDecimal, min_value: low, max_value: high };
  return { type: 'number_input' as const, action_id: FIELD, ...bounds, ...initial };
}

function plainText(text: string) {
  return { type: 'plain_text' as const, text, emoji: false };
}

function blockId(index: number): string {
  return `oom:edit:${index}`;
}

function metadataOf(plan: string, conversation: string, fields: readonly EditField[]): string {
  const kept: Metadata = { plan, conversation, fields: fields.map(({ flag, min, max }) => ({ flag, min, max })) };
  const text = JSON.stringify(kept);
  if (text.length <= METADATA) return text;
  throw new RangeError('this plan has too many flags for a form');
}

function hintOf({ flag, from, min, max, why }: EditField): string {
  const now = from === null ? 'Not set now.' : `Now ${from}.`;
  const takes = rangeOfFlag(undefined, flag);
  const any = takes === undefined ? '' : ` Takes ${takes}.`;
  const range = min === null && max === null ? any : ` Between ${sayRange({ flag, min, max })}.`;
  return `${now}${range} ${why === '' ? '' : `Proposed: ${why}. `}${flag === MEMORY_LIMIT ? 'For example 96Gi.' : 'Leave empty to remove the flag.'}`;
}

type Submission = {
  readonly planId: string;
  readonly conversation: string;
  readonly values: readonly EditedValue[];
  /** What is wrong, by the block that it stands in; empty where nothing is. */
  readonly errors: Readonly<Record<string, string>>;
};

/** A sent form, with what is wrong with its values. Pure: the acknowledgement waits for it. Throws a ZodError for what is no form of ours. */
export function readSubmission(view: unknown): Submission {
  const { private_metadata, state } = Submitted.parse(view);
  const { plan, conversation, fields } = Metadata.parse(JSON.parse(private_metadata));
  const values = fields.map(({ flag }, index): EditedValue => {
    const typed = state.values[blockId(index)]?.[FIELD]?.value?.trim() ?? '';
    return { flag, to: typed === '' ? null : typed };
  });
  const problems = checkValues(fields, values);
  const errors = fields.flatMap(({ flag }, index) => {
    const says = problems.get(flag);
    return says === undefined ? [] : [[blockId(index), oneLine(says, 300)] as const];
  });
  return { planId: plan, conversation, values, errors: Object.fromEntries(errors) };
}
