import type { SnapshotSource } from '../app/ports.ts';
import { OomError } from '../model/errors.ts';
import { ONE_OBJECT_FILES } from '../model/snapshot.ts';
import { baseName, type EvidenceFile, readSmall } from './evidence-file.ts';
import { yamlAsJson } from './input-text.ts';
import { asSnapshotForm } from './kubectl-lists.ts';
import { wholeObject } from './whole-object.ts';

/** Files under the names that they have in a snapshot, as a snapshot. */
export function fileSnapshot(id: string, files: ReadonlyMap<string, EvidenceFile>): SnapshotSource {
  const at = (name: string): EvidenceFile => {
    const found = files.get(name);
    if (found === undefined)
      throw new OomError('internal', `${name} is not in this snapshot.`, { next: 'Read only what `list` names.' });
    return found;
  };
  const jsons = new Map<string, Promise<string>>();
  const json = (name: string): Promise<string> => {
    const text = jsons.get(name) ?? readJson(at(name), name);
    jsons.set(name, text);
    return text;
  };
  return {
    id,
    list: async () => [...files.keys()].toSorted(),
    read: async (name) => (name.endsWith('.json') ? json(name) : (await readSmall(at(name))).text),
    open: (name) => (name.endsWith('.json') ? encoded(json(name)) : at(name).open()),
    nameOf: (name) => baseName(at(name).path),
  };
}

// `kubectl get -o yaml > pod.json` happens.
const YAML_OF_KUBECTL = /^(?:apiVersion|kind|metadata|items):\s/;

// What is no YAML, or is cut, stays as it is: whoever wants JSON of it says that it is none.
async function readJson(file: EvidenceFile, name: string): Promise<string> {
  const { text, isWhole } = await readSmall(file);
  const isYaml = isWhole && (/\.ya?ml$/.test(file.path) || YAML_OF_KUBECTL.test(text));
  const json = isYaml ? (yamlAsJson(text) ?? text) : text;
  return ONE_OBJECT_FILES.includes(name) ? wholeObject(json) : asSnapshotForm(name, json);
}

async function* encoded(text: Promise<string>): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(await text);
}
