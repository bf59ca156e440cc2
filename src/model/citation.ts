import { z } from 'zod';
import { FileName } from './snapshot.ts';

// What stands directly behind and belongs to it: the lines in which a sentence goes on, the value behind a flag of a list.
const more = z.array(z.string().min(1).max(2000)).min(1).max(3).optional();

/** A line of a snapshot file. `line` counts from 1 by line feed; `text` stands in that line byte for byte (at most 2,000 characters of it), `more` in the lines below it. */
export const LineCitation = z.strictObject({
  kind: z.literal('line'),
  file: FileName,
  line: z.int().min(1),
  text: z.string().min(1).max(2000),
  more,
});

/** A field of a JSON file of the snapshot. `path` is a JSON pointer; `text` is the value there as JSON, clipped to 2,000 characters, `more` the elements of the same list behind it. */
export const FieldCitation = z.strictObject({
  kind: z.literal('field'),
  file: FileName,
  path: z.string().startsWith('/'),
  text: z.string().min(1).max(2000),
  more,
});

/** A sample of series.json: series id, time in epoch ms and value in the unit of the series. */
export const SampleCitation = z.strictObject({
  kind: z.literal('sample'),
  file: z.literal('series.json'),
  series: z.string().min(1),
  at: z.number(),
  value: z.number(),
});

/** Where a statement can be looked up in the snapshot. */
export const Citation = z.discriminatedUnion('kind', [LineCitation, FieldCitation, SampleCitation]);
export type Citation = z.infer<typeof Citation>;
export type LineCitation = z.infer<typeof LineCitation>;
export type FieldCitation = z.infer<typeof FieldCitation>;

/** Where it stands: `vllm.previous.log:214`, `pod.json /status/phase`, `series.json container.memory`. */
export function placeOf(citation: Citation): string {
  switch (citation.kind) {
    case 'line':
      return `${citation.file}:${citation.line}`;
    case 'field':
      return `${citation.file} ${citation.path}`;
    case 'sample':
      return `${citation.file} ${citation.series}`;
  }
}
