/** An object as the API server stores it. Only what a stand-in needs is named; the rest is whatever the builder put in. */
export type KubeObject = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly [field: string]: unknown;
};

type ObjectMeta = {
  readonly name: string;
  readonly namespace?: string | undefined;
  readonly uid: string;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly [field: string]: unknown;
};

/** A line of a container's log; `at` is epoch ms. */
export type LogLine = { readonly at: number; readonly text: string };

/** What the kubelet holds of one container instance: lines, or a generator where they would not fit into memory. */
export type ContainerLog = {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  readonly instance: 'current' | 'previous';
  readonly lines: readonly LogLine[] | (() => Iterable<LogLine>);
  /** Text that the kubelet writes after the lines when it fails with the answer under way. */
  readonly failure?: string;
};

/** A right that a caller lacks. `resource` with its subresource (`pods/log`); `user` is who acts, impersonated or not; left out parts match all. */
export type Denial = {
  readonly verb?: string;
  readonly resource?: string;
  readonly namespace?: string;
  readonly user?: string;
};

/** A cluster as data. The lists may be changed while a stand-in serves them. */
export type ApiWorld = {
  readonly objects: KubeObject[];
  readonly logs: ContainerLog[];
  readonly denied: Denial[];
};

/** A world of these objects and logs. Nested lists are laid flat, so that a builder may give several objects. */
export function aWorld(parts: {
  readonly objects?: readonly (KubeObject | readonly KubeObject[])[];
  readonly logs?: readonly ContainerLog[];
  readonly denied?: readonly Denial[];
}): ApiWorld {
  return {
    objects: (parts.objects ?? []).flat() as KubeObject[],
    logs: [...(parts.logs ?? [])],
    denied: [...(parts.denied ?? [])],
  };
}

export function findObject(
  world: ApiWorld,
  wanted: { kind: string; name: string; namespace?: string | undefined },
): KubeObject | undefined {
  return world.objects.find(
    ({ kind, metadata }) =>
      kind === wanted.kind && metadata.name === wanted.name && metadata.namespace === wanted.namespace,
  );
}

/** Puts `object` in the place of the one with its kind, namespace and name, or adds it. */
export function putObject(world: ApiWorld, object: KubeObject): void {
  const { name, namespace } = object.metadata;
  const at = world.objects.findIndex(
    (old) => old.kind === object.kind && old.metadata.name === name && old.metadata.namespace === namespace,
  );
  if (at >= 0) world.objects[at] = object;
  else world.objects.push(object);
}

export function removeObject(world: ApiWorld, gone: { kind: string; name: string }): void {
  const at = world.objects.findIndex(({ kind, metadata }) => kind === gone.kind && metadata.name === gone.name);
  if (at >= 0) world.objects.splice(at, 1);
}
