import { z } from 'zod';
import { Config } from './schema.ts';

/** A node of the schema, as JSON Schema tells it. `secret` values are never printed; of `mask: url` the credentials are not. */
const Shape = z.looseObject({
  description: z.string().optional(),
  default: z.unknown().optional(),
  type: z.string().optional(),
  enum: z.array(z.string()).optional(),
  secret: z.boolean().optional(),
  required: z.array(z.string()).optional(),
  get properties() {
    return z.record(z.string(), Shape).optional();
  },
  get additionalProperties() {
    return z.union([z.boolean(), Shape]).optional();
  },
  get items() {
    return Shape.optional();
  },
  get anyOf() {
    return z.array(Shape).optional();
  },
});
export type Shape = z.infer<typeof Shape>;

let root: Shape | undefined;

/** The whole schema; made when it is first asked for, since a start without problems does not need it. */
export function rootShape(): Shape {
  root ??= Shape.parse(z.toJSONSchema(Config, { io: 'input' }));
  return root;
}

/** The node under a key of an object, a name of a record, or an element of a list. */
export function childShape(shape: Shape | undefined, step: PropertyKey): Shape | undefined {
  if (shape === undefined) return undefined;
  const { properties, additionalProperties, items } = plainShape(shape);
  const named =
    properties !== undefined && Object.hasOwn(properties, String(step)) ? properties[String(step)] : undefined;
  if (named !== undefined) return named;
  return typeof additionalProperties === 'object' ? additionalProperties : items;
}

/** Of a node that may also be null the other half. */
export function plainShape(shape: Shape): Shape {
  const { anyOf } = shape;
  return anyOf?.find(({ type }) => type !== 'null') ?? shape;
}

export function shapeAt(path: readonly PropertyKey[]): Shape | undefined {
  let shape: Shape | undefined = rootShape();
  for (const step of path) shape = childShape(shape, step);
  return shape;
}

/** Names of the keys that an object may have; empty for what is none. */
export function keysOf(shape: Shape | undefined): readonly string[] {
  return shape === undefined ? [] : Object.keys(plainShape(shape).properties ?? {});
}
