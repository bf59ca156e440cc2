import { VARIABLES } from '../src/config/environment.ts';
import { USUAL_FILES } from '../src/config/load.ts';
import { plainShape, rootShape, type Shape } from '../src/config/shape.ts';

const INTRO = `# Configuration

\`oom config check\` lists every problem with its line, or prints the effective config with secrets masked.

oombot reads the YAML file from \`--config\` or \`OOM_CONFIG\`, else the first of ${USUAL_FILES.map((file) => `\`${file}\``).join(' and ')}. Environment variables override the file. Every key is optional; unknown keys are errors. Names of clusters, namespaces and workloads in lists may end in \`*\`.

\`\`\`yaml
clusters:
  - name: prod
    inCluster: true
    namespaces: [llm-*]
    prometheus:
      url: http://prometheus.monitoring:9090
channels:
  C0123456789: { namespaces: [llm-*] }
\`\`\`

## Who may read what

If \`channels\` is empty, every channel may read what oombot may read. Once it has an entry, other channels read nothing unless \`defaultChannel\` allows it. Channels shared with another organization get the verdict without evidence. An empty \`act\` list means nobody may act.
`;

/** docs/configuration.md. */
export function configurationPage(): string {
  return [INTRO, '## Keys\n', keyTable(), '\n## Environment variables\n', variableTable(), ''].join('\n');
}

function keyTable(): string {
  const rows = rowsOf(rootShape(), '').map(
    ({ key, kind, standard, says }) => `| \`${key}\` | ${kind} | ${standard} | ${says} |`,
  );
  return ['| key | value | default | meaning |', '| --- | --- | --- | --- |', ...rows].join('\n');
}

type Row = { readonly key: string; readonly kind: string; readonly standard: string; readonly says: string };

function rowsOf(shape: Shape, prefix: string): readonly Row[] {
  const required = new Set(shape.required);
  return Object.entries(shape.properties ?? {}).flatMap(([name, child]) => {
    const key = prefix === '' ? name : `${prefix}.${name}`;
    // What groups others is shown only if there is something to say of it.
    if (plainShape(child).properties !== undefined && child.description === undefined) return innerRows(child, key);
    const row = {
      key,
      kind: kindOf(child),
      standard: standardOf(child, required.has(name)),
      says: cell(child.description ?? ''),
    };
    return [row, ...innerRows(child, key)];
  });
}

function innerRows(child: Shape, key: string): readonly Row[] {
  const { properties, items, additionalProperties } = plainShape(child);
  if (properties !== undefined) return rowsOf(plainShape(child), key);
  if (items !== undefined) return rowsOf(items, `${key}[]`);
  return typeof additionalProperties === 'object' ? rowsOf(additionalProperties, `${key}.<id>`) : [];
}

const KINDS: Readonly<Record<string, string>> = { string: 'text', integer: 'integer', boolean: 'boolean' };

function kindOf(shape: Shape): string {
  const { type = '', enum: values, items } = plainShape(shape);
  if (values !== undefined) return values.map((value) => `\`${value}\``).join(', ');
  if (shape.secret) return 'secret';
  if (type === 'array') return items?.enum === undefined ? 'list' : `list of ${kindOf(items)}`;
  return KINDS[type] ?? (type === 'object' ? 'map' : type);
}

function standardOf(shape: Shape, required: boolean): string {
  if (required) return 'required';
  const { default: standard } = shape;
  const isGroup = plainShape(shape).properties !== undefined;
  return standard === undefined || isGroup ? '' : `\`${JSON.stringify(standard).replace(/^"|"$/g, '')}\``;
}

function variableTable(): string {
  const rows = VARIABLES.map(({ name, path, kind }) => {
    const key = path
      .map((step) => (step === '*' ? '[]' : `.${step}`))
      .join('')
      .slice(1);
    const form = kind === 'list' ? 'comma-separated' : kind === 'secret' ? `or \`${name}_FILE\`` : '';
    return `| \`${name}\` | \`${key}\` | ${form} |`;
  });
  return [
    'Cluster variables work with a single cluster. An empty variable is ignored, an unknown `OOM_…` variable is an error.\n',
    '| variable | key | form |',
    '| --- | --- | --- |',
    '| `OOM_CONFIG` | the config file | |',
    '| `KUBECONFIG` | `clusters[].kubeconfig`, for clusters without their own or `inCluster` | |',
    '| `HTTPS_PROXY`, `HTTP_PROXY`, `NO_PROXY` | the proxy to the API server, after `proxy-url` in the kubeconfig | lowercase too |',
    ...rows,
  ].join('\n');
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}
