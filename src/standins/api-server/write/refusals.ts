import type { ApiPath } from '../objects/resources.ts';
import { type Answer, type Cause, refuse } from '../objects/status.ts';

const qualified = ({ resource: { group, plural } }: ApiPath): string => `${plural}${group === '' ? '' : `.${group}`}`;

const detailsOf = ({ resource: { group, plural }, name }: ApiPath) => ({
  name,
  ...(group !== '' && { group }),
  kind: plural,
});

/** A JSON Patch that cannot be applied: the API server gives no detail at all. */
export function failedPatch(): Answer {
  return refuse(422, 'Invalid', 'the server rejected our request due to an error in our request', {});
}

/** A patched object that cannot be decoded, or has fields that `fieldValidation=Strict` minds. */
export function undecodablePatch(patched: unknown, words: string): Answer {
  const message = `Invalid value: ${JSON.stringify(JSON.stringify(patched))}: ${words}`;
  const causes = [{ reason: 'FieldValueInvalid', message, field: 'patch' }];
  return refuse(422, 'Invalid', ` "" is invalid: patch: ${message}`, { causes });
}

/** What the validation of a kind minds. */
export function invalid(path: ApiPath, causes: readonly Cause[], kind = path.resource.kind): Answer {
  const { group } = path.resource;
  const all = causes.map(({ field, message }) => `${field}: ${message}`);
  const words = all.length === 1 ? all[0] : `[${all.join(', ')}]`;
  const named = group === '' ? kind : `${kind}.${group}`;
  const details = { name: path.name, ...(group !== '' && { group }), kind, causes };
  return refuse(422, 'Invalid', `${named} "${path.name}" is invalid: ${words}`, details);
}

export function conflict(path: ApiPath): Answer {
  const words = 'the object has been modified; please apply your changes to the latest version and try again';
  return refuse(
    409,
    'Conflict',
    `Operation cannot be fulfilled on ${qualified(path)} "${path.name}": ${words}`,
    detailsOf(path),
  );
}

export function alreadyExists(path: ApiPath, name: string): Answer {
  const named = { ...path, name };
  return refuse(409, 'AlreadyExists', `${qualified(path)} "${name}" already exists`, detailsOf(named));
}

export function badRequest(words: string): Answer {
  return refuse(400, 'BadRequest', words);
}

export function unsupportedPatch(): Answer {
  return refuse(415, 'UnsupportedMediaType', 'the body of the request was in an unknown format');
}
