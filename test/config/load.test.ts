import { writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { LookAt, PathKind } from '../../src/config/checks.ts';
import {
  type Config,
  type ConfigProblem,
  checkConfig,
  loadConfig,
  missingForSlack,
  prometheusOptions,
  rightsOf,
} from '../../src/config.ts';
import { type Actor, authorise } from '../../src/model/authorise.ts';
import { temporaryFolder } from '../fakes/temporary-folder.ts';

type Env = Readonly<Record<string, string>>;
type Files = Readonly<Record<string, string>>;

function load(yaml: string | undefined, env: Env = {}, files: Files = {}) {
  const all: Files = { ...(yaml !== undefined && { 'oombot.yaml': yaml }), ...files };
  return loadConfig({ env, readFile: (path) => all[path] });
}

function good(yaml: string | undefined, env: Env = {}, files: Files = {}): Config {
  const outcome = load(yaml, env, files);
  if (outcome.kind === 'bad') throw new Error(JSON.stringify(outcome.problems));
  return outcome.config;
}

function problems(yaml: string | undefined, env: Env = {}, files: Files = {}): readonly ConfigProblem[] {
  const outcome = load(yaml, env, files);
  return outcome.kind === 'bad' ? outcome.problems : [];
}

const PROD = 'clusters:\n  - name: prod\n    inCluster: true\n';

describe('where a configuration comes from', () => {
  it('is nowhere at first: the defaults do', () => {
    const clusters = [{ name: 'default', inCluster: false, namespaces: ['*'] }];
    const config = { clusters, logLevel: 'info', slack: { mode: 'socket' } };
    expect(load(undefined)).toMatchObject({ kind: 'ok', sources: [], config });
  });

  it.each([
    ['prod-eu', 'prod-eu'],
    ['arn:aws:eks:eu-west-1:123456789012:cluster/prod', 'prod'],
    ['admin@kind', 'admin-kind'],
    ['gke_team_europe-west4-a_LLM', 'gke-team-europe-west4-a-llm'],
  ])('names the cluster by its context: %s', (context, name) => {
    const files = { '/one': 'apiVersion: v1\n', '/two': `current-context: ${context}\n` };

    expect(good('logLevel: warn\n', { KUBECONFIG: '/one:/two' }, files).clusters).toMatchObject([{ name }]);
  });

  it.each([
    ['inside a cluster', {}, { inCluster: true }],
    ['where KUBECONFIG points', { KUBECONFIG: '/k' }, { inCluster: false, kubeconfig: '/k' }],
  ])('inside a cluster, and without one of its own, is the one %s', (_name, env, cluster) => {
    expect(good('logLevel: warn\n', { KUBERNETES_SERVICE_HOST: '10.0.0.1', ...env }).clusters).toMatchObject([cluster]);
  });

  const LEVELS = { 'a.yaml': 'warn', 'b.yaml': 'error', 'oombot.yaml': 'debug', '/etc/oombot/config.yaml': 'silent' };
  it.each<[string, Partial<Parameters<typeof loadConfig>[0]>, without: string[], string]>([
    ['the named file', { file: 'a.yaml', env: { OOM_CONFIG: 'b.yaml' } }, [], 'warn'],
    ['OOM_CONFIG', { env: { OOM_CONFIG: 'b.yaml' } }, [], 'error'],
    ['./oombot.yaml', {}, [], 'debug'],
    ['/etc/oombot/config.yaml', {}, ['oombot.yaml'], 'silent'],
  ])('%s comes in its turn', (_name, input, without, logLevel) => {
    const files = Object.entries(LEVELS).map(([path, level]) => [path, `logLevel: ${level}`] as const);
    const there = new Map(files.filter(([path]) => !without.includes(path)));

    const outcome = loadConfig({ env: {}, readFile: (path) => there.get(path), ...input });

    expect(outcome).toMatchObject({ kind: 'ok', config: { logLevel } });
  });

  it('that was named and is not there is a problem, one that cannot be read too', () => {
    const locked = () => {
      throw Object.assign(new Error('secret path'), { code: 'EACCES' });
    };
    const named = (readFile: () => undefined) => loadConfig({ env: {}, file: 'x.yaml', readFile });
    const bad = (message: string) => ({ kind: 'bad', problems: [{ where: 'x.yaml', key: '', message }] });

    expect(named(() => undefined)).toEqual(bad('there is no such file'));
    expect(named(locked)).toEqual(bad('cannot be read (EACCES)'));
  });

  it.each(['', '\n', '# nothing yet\n', '---\n', 'null\n'])('may be an empty file: %j', (yaml) => {
    expect(load(yaml).kind).toBe('ok');
  });
});

describe('the environment', () => {
  it.each<[string, string, (config: Config) => unknown, unknown]>([
    ['OOM_LOG_LEVEL', 'debug', (c) => c.logLevel, 'debug'],
    ['OOM_NAMESPACES', 'llm-*, inference,', (c) => c.clusters[0]?.namespaces, ['llm-*', 'inference']],
    ['OOM_PROMETHEUS_URL', 'http://p:9090/x', (c) => c.clusters[0]?.prometheus?.url, 'http://p:9090/x'],
    ['OOM_SLACK_HTTP_PORT', '8080', (c) => c.slack.port, 8080],
    ['OOM_SLACK_MODE', 'http', (c) => c.slack.mode, 'http'],
    ['OOM_DEFAULT_CLUSTER', 'prod', (c) => c.defaultCluster, 'prod'],
    ['DATABASE_URL', 'sqlite:/data/a.db', (c) => c.store.url, 'sqlite:/data/a.db'],
    ['DATABASE_URL', 'postgres://u:p@h:5432/d\n', (c) => c.store.url, 'postgres://u:p@h:5432/d'],
    ['OOM_SNAPSHOT_DAYS', '7.5', (c) => c.store.retentionDays.snapshots, 7.5],
    ['OOM_PLAYBOOK_DIRS', '/a,/b', (c) => c.playbooks.dirs, ['/a', '/b']],
    ['SLACK_APP_TOKEN', ' xapp-1\n', (c) => c.slack.appToken, 'xapp-1'],
  ])('%s=%s wins over the file', (name, value, read, expected) => {
    const file = `${PROD}logLevel: error\nslack: { port: 1, mode: socket, appToken: xapp-file }\nstore: { url: 'sqlite:file.db' }\n`;

    expect(read(good(file, { [name]: value }))).toEqual(expected);
  });

  it('that is empty counts as none', () => {
    expect(good('logLevel: error', { OOM_LOG_LEVEL: '', SLACK_BOT_TOKEN: '', OOM_CONFIG: '' }).logLevel).toBe('error');
  });

  it('gives a secret by a file', () => {
    const config = good(PROD, { SLACK_BOT_TOKEN_FILE: '/run/bot' }, { '/run/bot': 'xoxb-from-file\n' });

    expect(config.slack.botToken).toBe('xoxb-from-file');
  });

  it.each<[string, Env, Files, string]>([
    ['is not there', { SLACK_BOT_TOKEN_FILE: '/run/none' }, {}, 'there is no file /run/none'],
    ['is empty', { SLACK_BOT_TOKEN_FILE: '/run/bot' }, { '/run/bot': ' \n' }, 'its file /run/bot is empty'],
  ])('whose secret file %s is a problem', (_name, env, files, message) => {
    expect(problems(PROD, env, files)).toEqual([{ where: 'SLACK_BOT_TOKEN_FILE', key: 'slack.botToken', message }]);
  });

  it.each(['xoxb-…', 'xoxb-1 # mine'])('is refused where no header could carry it: %s', (botToken) => {
    const [problem] = problems(PROD, { SLACK_BOT_TOKEN: botToken });

    expect(problem).toMatchObject({ where: 'SLACK_BOT_TOKEN', message: expect.stringContaining('tokens do not have') });
    expect(problem?.message).not.toContain('xoxb');
  });

  it('with a wrong value is named instead of a line', () => {
    const message = expect.stringContaining('allowed: silent, error, warn, info, debug');
    expect(problems(PROD, { OOM_SLACK_HTTP_PORT: 'many', OOM_LOG_LEVEL: 'loud' })).toEqual([
      { where: 'OOM_SLACK_HTTP_PORT', key: 'slack.port', message: 'must be a number, is text' },
      { where: 'OOM_LOG_LEVEL', key: 'logLevel', message },
    ]);
  });

  it('with a misspelt name is a problem with the nearest name', () => {
    expect(problems(PROD, { OOM_LOGLEVEL: 'info' })).toEqual([
      { where: 'OOM_LOGLEVEL', key: '', message: expect.stringContaining('did you mean OOM_LOG_LEVEL?') },
    ]);
  });

  it.each(['OOM_SERVICE_HOST', 'OOM_PORT', 'OOM_PORT_3000_TCP_ADDR', 'OOM_TEST_LONG', 'OOMBOT_SERVICE_HOST', 'PATH'])(
    'may hold %s, which is not ours',
    (name) => {
      expect(load(PROD, { [name]: 'tcp://10.0.0.1:3000' }).kind).toBe('ok');
    },
  );

  it('cannot say which of several clusters it means', () => {
    const two = 'clusters: [{ name: a, inCluster: true }, { name: b, context: b }]\n';

    expect(problems(two, { OOM_PROMETHEUS_URL: 'http://p:9090' })).toEqual([
      { where: 'OOM_PROMETHEUS_URL', key: 'clusters', message: expect.stringContaining('there are 2') },
    ]);
    expect(good(two, { KUBECONFIG: '/k' }).clusters.map(({ kubeconfig }) => kubeconfig)).toEqual([undefined, '/k']);
  });
});

describe('a wrong configuration', () => {
  const WRONG = `clusters:
  - name: Prod
    namespaces: [llm-*, a*b]
    prometeus: { url: x }
    prometheus:
      url: ftp://x
      basic: { user: a }
      timeoutSeconds: fast
    engineMetrics: { podIP: 1 }
slak: {}
logLevel: inf
limits: { calls: 0, deadlineSeconds: 6000 }
act:
  - users: [U_APPROVER]
    verbs: [aprove]
    scope: { namespaces: [x] }
`;

  it('tells everything at once, with line, key and what is allowed', () => {
    const found = problems(WRONG).map(({ where, key, message }) => `${where} ${key}: ${message}`);

    expect(found).toEqual([
      'oombot.yaml:2 clusters[0].name: is not a valid name: lowercase letters, digits, - and .',
      'oombot.yaml:3 clusters[0].namespaces[1]: is not a namespace: lowercase letters, digits and -, with an optional * at the end',
      expect.stringMatching(
        /^oombot.yaml:4 clusters\[0\].prometeus: no key called prometeus, did you mean prometheus\? Known: name, /,
      ),
      'oombot.yaml:6 clusters[0].prometheus.url: is no address that begins with http:// or https://',
      'oombot.yaml:7 clusters[0].prometheus.basic: needs one of `password` and `passwordFile`',
      'oombot.yaml:8 clusters[0].prometheus.timeoutSeconds: must be a number, is text',
      'oombot.yaml:9 clusters[0].engineMetrics.podIP: must be true or false, is a number',
      expect.stringMatching(/^oombot.yaml:10 slak: no key called slak, did you mean slack\?/),
      'oombot.yaml:11 logLevel: is not allowed, did you mean info?; allowed: silent, error, warn, info, debug',
      'oombot.yaml:12 limits.deadlineSeconds: is too large: at most 600',
      'oombot.yaml:12 limits.calls: is too small: at least 1',
      'oombot.yaml:15 act[0].verbs[0]: is not allowed, did you mean approve?; allowed: plan, approve, rollback, abort, pause, resume',
    ]);
  });

  const OTHER = 'name: prod\n    context: x\n';
  const PORD = `${PROD}defaultCluster: pord\n`;
  const STAGE = `${PROD}channels:\n  C1:\n    clusters: [stage]\n    namespaces: ['*']\n`;
  const TWO_WAYS = 'clusters:\n  - { name: a, inCluster: true, context: b }\n';
  const WITH_KEY = 'clusters:\n  - name: a\n    prometheus: { url: "http://u:s3cret@p" }\n';
  const TOKENS = 'slack:\n  botToken: s3cret\n  botTokenFile: /f\n';
  it.each([
    ['a missing key', 'clusters:\n  - inCluster: true\n', 2, 'clusters[0].name', 'is missing: text. Name, as typed'],
    ['text where a list is wanted', 'clusters: prod\n', 1, 'clusters', 'must be a list, is text'],
    ['nothing where a group is wanted', 'slack:\n', 1, 'slack', 'must be a map, is nothing'],
    ['a cluster twice', `${PROD}  - ${OTHER}`, 4, 'clusters[1].name', 'is used twice'],
    ['an unknown default cluster', PORD, 4, 'defaultCluster', 'no cluster called pord, did you mean prod?'],
    ['an unknown cluster of a channel', STAGE, 6, 'channels.C1.clusters[0]', 'no cluster called stage. Known: prod.'],
    ['two ways into a cluster', TWO_WAYS, 2, 'clusters[0]', '`inCluster: true` and also'],
    ['credentials in an address', WITH_KEY, 3, 'clusters[0].prometheus.url', 'put them under `basic`'],
    ['another store', 'store: { url: "mysql://u:s3cret@h/d" }\n', 1, 'store.url', 'is no store: `sqlite:`'],
    ['a password with a slash', 'store: { url: "postgres://u:12/s3cret@h/d" }\n', 1, 'store.url', 'as %2F'],
    ['a command without a slash', 'slack: { command: oom }\n', 1, 'slack.command', 'is not a slash command'],
    ['a negative time', 'incidents: { windowMinutes: 0 }\n', 1, 'incidents.windowMinutes', 'is too small: more than 0'],
    ['a token twice', TOKENS, 3, 'slack.botTokenFile', 'is set together with `botToken`'],
  ])('%s', (_name, yaml, line, key, message) => {
    const found = problems(yaml, {}, { '/f': 'x' });

    expect(found).toEqual([{ where: `oombot.yaml:${line}`, key, message: expect.stringContaining(message) }]);
    expect(JSON.stringify(found)).not.toContain('s3cret');
  });

  it.each([
    ['a key twice', 'logLevel: warn\nlogLevel: info\n', 2, 'a duplicate key'],
    ['a tab', 'slack:\n\tmode: http\n', 2, 'a tab'],
    ['an open quote', 'slack:\n  botToken: "s3cret\n', 3, 'an unclosed quote'],
  ])('that is no YAML, by %s, is told with its line and without its text', (_name, yaml, line, message) => {
    const found = problems(yaml);

    expect(found[0]).toEqual({ where: `oombot.yaml:${line}`, key: '', message: expect.stringContaining(message) });
    expect(JSON.stringify(found)).not.toContain('s3cret');
  });

  it('that unfolds without an end is refused', () => {
    const bomb = `a: &a [x,x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\n`;

    expect(problems(bomb)).toEqual([expect.objectContaining({ message: expect.stringContaining('aliases') })]);
  });
});

describe('own redaction patterns', () => {
  const withPattern = (pattern: string) =>
    `redaction:\n  patterns:\n    - name: own\n      pattern: ${JSON.stringify(pattern)}\n`;

  it.each([
    'customer-\\d{1,12}',
    '[A-Z]{3}-\\d{6}',
    'session=[^;]{1,80}',
    '\\bACME_[0-9a-f]{32}\\b',
    '(?:a|b){2}',
    '(?:x+x+)+y',
  ])('may be %s', (pattern) => {
    expect(good(withPattern(pattern)).redaction.patterns).toEqual([{ name: 'own', pattern }]);
  });

  it.each([
    ['(', 'is not a regular expression'],
    ['a\\', 'is not a regular expression'],
    ['', 'is empty'],
    ['x{0,3}', 'matches the empty text'],
    ['(((((a{0,40}){0,40}){0,40}){0,40}){0,40}b', 'is not a regular expression'],
    ['(?<=a)b', 'lookbehind'],
    ['(?<!a)b', 'lookbehind'],
    ['b(?=a)', 'lookahead'],
    ['b(?!a)', 'lookahead'],
    ['(a)\\1', 'backreference'],
    ['(?<n>a)\\k<n>', 'backreference'],
  ])('may not be %s', (pattern, message) => {
    expect(problems(withPattern(pattern)).map((p) => [p.where, p.message])).toEqual(
      expect.arrayContaining([['oombot.yaml:4', expect.stringContaining(message)]]),
    );
  });
});

describe('who may read', () => {
  const target = { cluster: 'prod', namespace: 'llm-a' };
  const may = (yaml: string, channel: string) => {
    const actor: Actor = { place: 'slack', user: 'U_ONCALL', groups: [], channel, externallyShared: false };
    return authorise(rightsOf(good(`${PROD}${yaml}`)), actor, 'triage', target).kind;
  };

  const X = '{ namespaces: [x] }';
  it.each([
    ['no map: every channel', '', 'C_ANY', 'allowed'],
    ['an empty map: every channel', 'channels: {}\n', 'C_ANY', 'allowed'],
    ['no map, and a default of nothing', 'defaultChannel: null\n', 'C_ANY', 'refused'],
    ['a map: the channel in it', 'channels: { C_LLM: { namespaces: [llm-*] } }\n', 'C_LLM', 'allowed'],
    ['a map: its other namespaces not', 'channels: { C_LLM: { namespaces: [web] } }\n', 'C_LLM', 'refused'],
    ['a map: other channels nothing', 'channels: { C_LLM: { namespaces: [llm-*] } }\n', 'C_ANY', 'refused'],
    ['a map and a default', `channels: { C_X: ${X} }\ndefaultChannel: { namespaces: [llm-a] }\n`, 'C_ANY', 'allowed'],
  ])('%s', (_name, yaml, channel, kind) => {
    expect(may(yaml, channel)).toBe(kind);
  });

  it('and act: nobody, unless named', () => {
    const actor = { place: 'terminal', user: 'U_APPROVER' } as const;
    const rule = 'act: [{ users: [U_APPROVER], verbs: [approve], scope: { namespaces: [llm-*] } }]\n';

    expect(authorise(rightsOf(good(PROD)), actor, 'approve', target).kind).toBe('refused');
    expect(authorise(rightsOf(good(PROD + rule)), actor, 'approve', target).kind).toBe('allowed');
  });
});

describe('what the parts want of it', () => {
  it.each([
    ['mode: socket', ['SLACK_BOT_TOKEN', 'SLACK_APP_TOKEN']],
    ['mode: http', ['SLACK_BOT_TOKEN', 'SLACK_SIGNING_SECRET']],
    ['{ mode: http, botToken: a, signingSecret: b }', []],
  ])('Slack in %s lacks %j', (slack, missing) => {
    const yaml = slack.startsWith('{') ? `slack: ${slack}\n` : `slack: { ${slack} }\n`;

    expect(missingForSlack(good(yaml))).toEqual(missing);
  });

  it.each([
    ['', { kind: 'none' }],
    ['bearerToken: a', { kind: 'bearer', token: 'a' }],
    ['bearerTokenFile: /f', { kind: 'bearer-file', file: '/f' }],
    ['basic: { user: u, password: p }', { kind: 'basic', user: 'u', password: 'p' }],
    ['basic: { user: u, passwordFile: /f }', { kind: 'basic-file', user: 'u', file: '/f' }],
  ])('Prometheus with { %s }', (extra, auth) => {
    const yaml = `clusters: [{ name: a, prometheus: { url: 'http://p', timeoutSeconds: 2, ${extra} } }]\n`;
    const { prometheus } = good(yaml).clusters[0]!;

    const rest = { timeoutMs: 2000, labels: {}, headers: {} };
    expect(prometheusOptions(prometheus!)).toMatchObject({ baseUrl: 'http://p', auth, ...rest });
  });
});

describe('files and folders that a configuration names', () => {
  const YAML = `clusters:
  - name: prod
    kubeconfig: /k/prod
    prometheus: { url: http://prometheus:9090, bearerTokenFile: /run/token }
playbooks:
  dirs:
    - /pb/own
    - /pb/file.yaml
acting:
  verify: { apiKeyFile: ~/key }
`;
  const FILES = { '/k/prod': 'file', '/run/token': 'file', '~/key': 'file' } as const;
  const SOUND = { ...FILES, '/pb/own': 'folder', '/pb/file.yaml': 'folder' } as const;
  type There = Readonly<Record<string, PathKind | 'closed'>>;
  const lookIn =
    (there: There): LookAt =>
    (path, kind) => {
      const found = there[path];
      if (found === undefined) return 'missing';
      if (found === 'closed') return 'unreadable';
      return found === kind ? 'sound' : 'other-kind';
    };
  const check = (there: There, env: Env = {}, yaml: string | undefined = YAML) => {
    const readFile = (path: string) => (path === 'oombot.yaml' ? yaml : undefined);
    const outcome = loadConfig({ env, readFile, lookAt: lookIn(there) });
    return outcome.kind === 'bad' ? outcome.problems.map(({ where, message }) => `${where} ${message}`) : [];
  };

  it('are each told with their line where this machine lacks them or may not read them', () => {
    expect(check({ '/pb/file.yaml': 'file', '/run/token': 'closed' })).toEqual([
      'oombot.yaml:3 there is no file /k/prod',
      'oombot.yaml:4 cannot read the file /run/token: permission denied',
      'oombot.yaml:7 there is no folder /pb/own',
      'oombot.yaml:8 /pb/file.yaml is not a folder',
      'oombot.yaml:10 there is no file ~/key; ~ is not expanded here, write the whole path',
    ]);
  });

  it('are sound where all are there, and are not looked at by other commands', () => {
    expect(check(SOUND)).toEqual([]);
    expect(loadConfig({ env: {}, readFile: (path) => (path === 'oombot.yaml' ? YAML : undefined) }).kind).toBe('ok');
  });

  const CLOSED = 'KUBECONFIG cannot read the file /k/closed: permission denied';
  it.each([
    ['one of a list that is there is enough', ['/k/none', '/k/prod'], []],
    ['none that is there', ['/k/none'], ['KUBECONFIG there is no file /k/none']],
    ['a list of which the only one there is closed', ['/k/none', '/k/closed'], [CLOSED]],
  ])('are files of KUBECONFIG too: %s', (_name, files, problems) => {
    const there = { '/k/prod': 'file', '/k/closed': 'closed' } as const;

    expect(check(there, { KUBECONFIG: files.join(delimiter) }, '{}')).toEqual(problems);
  });

  it('are looked at on this machine by the check', () => {
    const folder = temporaryFolder();
    const file = join(folder, 'oombot.yaml');
    writeFileSync(file, `playbooks:\n  dirs:\n    - ${folder}\n    - ${file}\n    - ${file}/x\n    - ${folder}/none\n`);

    const outcome = checkConfig(file);

    const ofFile = outcome.kind === 'bad' ? outcome.problems.filter(({ where }) => where.startsWith(file)) : [];
    expect(ofFile.map(({ where, message }) => [where, message])).toEqual([
      [`${file}:4`, `${file} is not a folder`],
      [`${file}:5`, `there is no folder ${file}/x`],
      [`${file}:6`, `there is no folder ${folder}/none`],
    ]);
  });
});

describe('a watch', () => {
  const watch = (pod: string, rest = 'channel: C_LLM', cluster = PROD) =>
    `${cluster}    namespaces: [llm, batch-*]\n    watch:\n      ${rest}\n      pods:\n        - ${pod}\n`;

  it.each([
    ['{ namespace: llm }'],
    ['{ namespace: batch-7, selector: "app=vllm, tier!=test,env in (a, b),!old,x.io/y" }'],
    [
      '{ namespace: llm, mode: on, minSeverity: high, quietHours: { from: "22:00", to: "07:00", timeZone: Europe/Berlin } }',
    ],
  ])('may be %s', (pod) => {
    expect(problems(watch(pod))).toEqual([]);
  });

  it('is quiet below medium unless told otherwise', () => {
    expect(good(watch('{ namespace: llm }')).clusters[0]?.watch?.pods).toEqual([
      { namespace: 'llm', mode: 'quiet', minSeverity: 'medium' },
    ]);
  });

  it.each([
    ['{ namespace: chat }', /chat is not one of `namespaces` of cluster prod/],
    ['{ namespace: batch-* }', /a whole name/],
    ['{ namespace: llm, selector: "app in vllm" }', /is not a label selector/],
    ['{ namespace: llm, mode: off }', /mode|on|quiet/],
    ['{ namespace: llm, quietHours: { from: "24:00", to: "07:00" } }', /is no time of day/],
    ['{ namespace: llm, quietHours: { from: "07:00", to: "07:00" } }', /use `mode: quiet`/],
    ['{ namespace: llm, quietHours: { from: "22:00", to: "07:00", timeZone: CEST/X } }', /is no time zone/],
  ])('must not be %s', (pod, message) => {
    expect(problems(watch(pod))).toEqual([
      expect.objectContaining({ where: 'oombot.yaml:8', message: expect.stringMatching(message) }),
    ]);
  });

  it('needs a channel, and outside of its cluster a namespace for its Lease', () => {
    const outside = PROD.replace('    inCluster: true\n', '');
    const noChannel = problems(watch('{ namespace: llm }', 'leaseNamespace: oombot', outside));
    const noLease = problems(watch('{ namespace: llm }', 'channel: C_LLM', outside));

    expect(noChannel.map(({ message }) => message)).toEqual([expect.stringContaining('no channel owns llm')]);
    expect(noLease.map(({ message }) => message)).toEqual(['needs `leaseNamespace` without `inCluster`']);
  });
});
