import { z } from 'zod';

// Foreign data: a missing or odd field is undefined and never a fault. Lists keep their places, so that a JSON pointer
// made from an index still leads to the element: an odd element becomes an empty object.
/** A field that may be missing or odd: then undefined. */
export const lenient = <T extends z.ZodType>(schema: T) => schema.optional().catch(undefined);
/** A list in which an odd element becomes `empty`; undefined where it is no list. */
export const listOf = <T extends z.ZodType>(schema: T, empty: z.output<T>) =>
  z
    .array(schema.catch(empty as never))
    .optional()
    .catch(undefined);
export const text = lenient(z.string());
export const count = lenient(z.number());
export const flag = lenient(z.boolean());
export const words = listOf(z.string(), '');
export const labels = lenient(z.record(z.string(), z.string().catch('')));
/** Quantities are strings in the API; hand-made JSON also has numbers. */
export const quantities = lenient(z.record(z.string(), z.union([z.string(), z.number()]).catch('')));
