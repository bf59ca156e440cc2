import { VARIABLES } from '../src/config/environment.ts';
import { USUAL_FILES } from '../src/config/load.ts';
import { plainShape, rootShape, type Shape, shapeAt } from '../src/config/shape.ts';

const INTRO = `# Configuration

This page is made from the schema (\`node scripts/write-docs.ts\` writes it, a test compares it). \`oom config check\` tells all that is wrong at once, each with its line, and prints the configuration in force with its secrets masked.

A YAML file: the one that \`--config\` or \`OOM_CONFIG\` names, else the first of ${USUAL_FILES.map((file) => `\`${file}\``).join(' and ')}. Environment variables win over the file. Keys that are not listed here are errors. No file is needed: without any, the bot looks at the cluster it runs in, or at the current context of KUBECONFIG.

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

While \`channels\` is empty, every channel may read what the bot itself may read: its namespaces in each cluster, and its rights there. As soon as one channel is listed, a channel that is not listed reads nothing, unless \`defaultChannel\` says otherwise. In a channel that is shared with another organisation the verdict is posted without evidence. For acting an empty list means nobody.
`;

/** docs/configuration.md. */
export function configurationPage(): string {
  return [INTRO, '## Keys\n', keyTable(), '\n## Environment variables\n', variableTable(), ''].join('\n');
}

function keyTable(): string {
  const rows = rowsOf(rootShape(), '').map(
    ({ key, kind, standard, says }) => `| \`${key}\` | ${kind} | ${standard} | ${says} |`,
  );
  return ['| key | value | default | what it is |', '| --- | --- | --- | --- |', ...rows].join('\n');
}

type Row = { readonly key: string; readonly kind: string; readonly standard: string; readonly says: string };

function rowsOf(shape: Shape, prefix: string): readonly Row[] {
  const required = new Set(shape.required);
  return Object.entries(shape.properties ?? {}).flatMap(([name, child]) => {
    const key = prefix === '' ? name : `${prefix}.${name}`;
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

const KINDS: Readonly<Record<string, string>> = { string: 'text', integer: 'whole number', boolean: 'yes or no' };

function kindOf(shape: Shape): string {
  const { type = '', enum: values, items } = plainShape(shape);
  if (values !== undefined) return values.map((value) => `\`${value}\``).join(', ');
  if (shape.secret) return 'secret text';
  if (type === 'array') return items?.enum === undefined ? 'list' : `list of ${kindOf(items)}`;
  return KINDS[type] ?? (type === 'object' ? 'group' : type);
}

function standardOf(shape: Shape, required: boolean): string {
  if (required) return 'must be given';
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
    const says = shapeAt(path.map((step) => (step === '*' ? 0 : step)))?.description ?? '';
    const form = kind === 'list' ? 'parted by commas' : kind === 'secret' ? `or \`${name}_FILE\`` : '';
    return `| \`${name}\` | \`${key}\` | ${form} | ${cell(says)} |`;
  });
  return [
    'Those of a cluster are for the case that there is one. An empty variable counts as none; one that begins with `OOM_` and is not listed is an error, so that a slip of the pen is seen.\n',
    '| variable | key | form | what it is |',
    '| --- | --- | --- | --- |',
    '| `OOM_CONFIG` | | | The configuration file. |',
    '| `KUBECONFIG` | `clusters[].kubeconfig` | | For every cluster that names no file of its own and is not `inCluster`. |',
    ...rows,
  ].join('\n');
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}
