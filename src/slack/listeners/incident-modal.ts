import type { View } from '@slack/types';
import { z } from 'zod';
import type { IncidentForm } from '../../app/chat/incident-verbs.ts';
import { type FindingName, NOT_KNOWN, NOT_MEMORY } from '../../model/feedback.ts';
import { placeOf, subjectOf } from '../../report/incident-state.ts';
import { oneLine } from '../draw/text.ts';

export const INCIDENT_CALLBACK = 'oom:incident';

const FIELD = 'value';
const MOST_WORDS = 300;

const Metadata = z.object({ verb: z.enum(['resolve', 'feedback']), incident: z.string(), conversation: z.string() });

const Submitted = z.object({
  private_metadata: z.string(),
  state: z.object({
    values: z.record(
      z.string(),
      z.record(
        z.string(),
        z.object({ value: z.string().nullish(), selected_option: z.object({ value: z.string() }).nullish() }),
      ),
    ),
  }),
});

/** The dialog of Resolve, with an optional reason, and that of a wrong finding, with what it was. */
export function drawIncidentModal(form: IncidentForm, conversation: string): View & { type: 'modal' } {
  const { incident } = form;
  const verb = form.kind === 'resolve' ? 'resolve' : 'feedback';
  const metadata: z.infer<typeof Metadata> = { verb, incident: incident.id, conversation };
  const rest = { type: 'modal' as const, callback_id: INCIDENT_CALLBACK, private_metadata: JSON.stringify(metadata) };
  if (form.kind === 'resolve') {
    return {
      ...rest,
      title: plainText('Resolve incident'),
      submit: plainText('Resolve'),
      close: plainText('Cancel'),
      blocks: [section(`${subjectOf(incident)}. It reopens if it fails again.`), words('reason', 'Reason')],
    };
  }
  return {
    ...rest,
    title: plainText('Finding is wrong'),
    submit: plainText('Send'),
    close: plainText('Cancel'),
    blocks: [
      section(`The finding on ${placeOf(incident)} was: ${form.said}.`),
      {
        type: 'input',
        block_id: 'oom:actual',
        label: plainText('Actual cause'),
        element: { type: 'static_select', action_id: FIELD, option_groups: groupsOf(form) },
      },
      words('note', 'Note'),
    ],
  };
}

const MOST_OPTIONS = 100;

function groupsOf({ groups }: Extract<IncidentForm, { kind: 'wrong' }>) {
  const short = [
    { id: NOT_MEMORY, name: 'Not memory' },
    { id: NOT_KNOWN, name: "Don't know" },
  ];
  return [{ label: 'Short answer', names: short }, ...groups].map(({ label, names }) => ({
    label: plainText(label),
    options: names.slice(0, MOST_OPTIONS).map(optionOf),
  }));
}

function optionOf({ id, name }: Pick<FindingName, 'id' | 'name'>) {
  return { text: plainText(oneLine(name, 75)), value: id.slice(0, 150) };
}

function words(id: string, label: string) {
  return {
    type: 'input' as const,
    block_id: `oom:${id}`,
    label: plainText(label),
    optional: true,
    element: { type: 'plain_text_input' as const, action_id: FIELD, max_length: MOST_WORDS },
  };
}

function section(text: string) {
  return { type: 'section' as const, text: plainText(oneLine(text, 600)) };
}

function plainText(text: string) {
  return { type: 'plain_text' as const, text, emoji: false };
}

/** A sent dialog as the command that it stands for. Throws a ZodError for what is no dialog of ours. */
export function readIncidentForm(view: unknown): { readonly text: string; readonly conversation: string } {
  const { private_metadata, state } = Submitted.parse(view);
  const { verb, incident, conversation } = Metadata.parse(JSON.parse(private_metadata));
  const field = (id: string) => state.values[`oom:${id}`]?.[FIELD];
  const actual = field('actual')?.selected_option?.value ?? NOT_KNOWN;
  const parts =
    verb === 'resolve' ? [incident, field('reason')?.value] : [incident, 'no', actual, field('note')?.value];
  return { text: [verb, ...parts].filter((part) => part !== undefined && part !== null).join(' '), conversation };
}
