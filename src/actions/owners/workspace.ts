import { z } from 'zod';
import { valueAt } from '../../model/json-patch.ts';
import { words } from '../../model/lenient.ts';
import { readCount } from './deployment.ts';
import { note } from './hazard.ts';
import { kubectl, kubectlName, quote } from './kubectl.ts';
import type { ArgsWay, Owner, OwnerKind, OwnerSource, ScaleWay } from './owner.ts';
import { findContainer } from './pod-template.ts';
import { findKind, nameOf, type Place } from './read-object.ts';
import { deletesVolumes } from './stateful-set.ts';

const CONFIG = '/inference/config';
const KEY = 'inference_config.yaml';

/** `kaito.sh Workspace`: no count of its own, its StatefulSet of the same name has it; arguments stand in a ConfigMap. */
export const WORKSPACE: OwnerKind = { group: 'kaito.sh', kind: 'Workspace', read: readWorkspace };

function readWorkspace(source: OwnerSource): Owner {
  const { head, ref, object, surroundings } = source;
  const set = findKind(surroundings, 'StatefulSet').find(
    (one) => one.ref.name === ref.name && one.ref.namespace === ref.namespace,
  );
  const missing = `the StatefulSet ${ref.name}, which has the replica count of the Workspace, was not read`;
  return {
    kind: 'owner',
    head,
    object,
    scale:
      set === undefined
        ? { kind: 'none', why: missing }
        : (deletesVolumes(set) ?? allTogether(readCount(set, '/spec/replicas'))),
    templates: [],
    containers: [],
    args: readArgs(source, set),
    roll: {
      kind: 'none',
      why: 'the Workspace controller sets the StatefulSet and its rollout settings itself',
      byHand: {
        says: 'The controller restarts all nodes. They are one engine: it is down until all of them are up.',
        extra: null,
      },
    },
    podsPerReplica: 1,
    ...(set !== undefined && { byHand: byHandOn(set, source.container) }),
    hazards: [
      note(
        'nodes-released',
        'At zero, the nodes of this Workspace may be released; new ones can take tens of minutes.',
      ),
      note(
        'controller-may-scale',
        'The Workspace controller may set the replica count itself after a configuration change; the run then stops and shows both values.',
      ),
    ],
  };
}

// The pods of a Workspace are the nodes of one engine: the first waits for the others.
function allTogether(scale: ScaleWay): ScaleWay {
  return scale.kind === 'count' ? { ...scale, together: true } : scale;
}

function byHandOn(set: Place, wanted: string | null): NonNullable<Owner['byHand']> {
  const container = findContainer(set, '/spec/template/spec', wanted)?.name ?? wanted;
  const which = `${kubectlName(set.ref)}${container === null ? '' : ` -c ${quote(container)}`}`;
  return {
    env: (words) => kubectl(set.ref, `set env ${which} ${words.map(quote).join(' ')}`),
    memory: (to) => kubectl(set.ref, `set resources ${which} --limits=memory=${quote(to)}`),
  };
}

const Command = z.looseObject({ command: words, args: words });

function readArgs({ ref, object, surroundings }: OwnerSource, set: Place | undefined): ArgsWay {
  const none = (says: string, paste: string | null): ArgsWay => ({ kind: 'none', says, paste });
  if (set === undefined) return none('The StatefulSet of the Workspace was not read, so its command is unknown.', null);
  const containers = valueAt(set.object, '/spec/template/spec/containers');
  const isTold = Array.isArray(containers) && containers.some(readsConfigFile);
  const name = valueAt(object, CONFIG);
  if (!isTold || typeof name !== 'string' || name === '') {
    const says = `The command of ${nameOf(ref)} has no --kaito-config-file, so a later configuration is ignored. Recreate it with that flag.`;
    return none(says, kubectl(ref, `get workspace.kaito.sh/${ref.name} -o yaml`));
  }
  const map = findKind(surroundings, 'ConfigMap').find(
    (one) => one.ref.name === name && one.ref.namespace === ref.namespace,
  );
  if (map === undefined) {
    const says = `The ConfigMap ${name}, which has the arguments, was not read.`;
    return none(says, kubectl(ref, `get configmap/${name} -o yaml`));
  }
  if (typeof valueAt(map.object, `/data/${KEY}`) !== 'string')
    return none(`The ConfigMap ${name} has no ${KEY}.`, null);
  return { kind: 'config-map', ref, object, path: CONFIG, name, key: KEY, section: 'vllm', map: map.object };
}

function readsConfigFile(container: unknown): boolean {
  const { command = [], args = [] } = Command.safeParse(container).data ?? {};
  return [...command, ...args].some((word) => word.includes('--kaito-config-file'));
}
