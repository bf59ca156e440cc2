import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { admissionPolicy } from '../../scripts/admission-policy.ts';
import { checkProtected } from '../../src/actions/guards.ts';
import { tablesInForce } from '../../src/model/reference-tables.ts';
import { evaluate, toCel } from './cel.ts';
import { deniedBy, type Manifest, manifestsIn, manifestText } from './policy.ts';
import { ACT, ALLOWED, DENIED, reviewOf, withFlag, withVariable } from './policy-rows.ts';

const FOLDER = join(import.meta.dirname, '../../deploy/kubernetes/acting');

const read = (name: string): string => manifestText(`acting/${name}`);
const documents = (name: string) => manifestsIn(`acting/${name}`);
const files = readdirSync(FOLDER).filter((name) => name !== 'kustomization.yaml');
const manifests = files.flatMap(documents);
const of = (kind: string, name: string) => manifests.find((one) => one.kind === kind && one.metadata.name === name)!;

describe('the acting installation', () => {
  it('is kept apart: what reads does not name it', () => {
    expect(parse(manifestText('kustomization.yaml')).resources.join(' ')).not.toContain('act');
    expect(parse(read('kustomization.yaml')).resources.filter((name: string) => !files.includes(name))).toEqual([]);
  });

  it('lets no namespace be acted in before it opts in', () => {
    const bound = parse(read('kustomization.yaml')).resources.flatMap(documents);

    expect(bound.filter(({ kind }: Manifest) => kind === 'ClusterRoleBinding')).toEqual([]);
    expect(bound.filter(({ roleRef }: Manifest) => roleRef?.name === 'oombot-act')).toEqual([]);
    expect(of('RoleBinding', 'oombot-act')).toMatchObject({
      roleRef: { kind: 'ClusterRole', name: 'oombot-act' },
      subjects: [{ name: 'oombot-act', namespace: 'oombot' }],
    });
  });

  it('lets the reader act as exactly one account', () => {
    expect(of('Role', 'oombot-impersonate-act')).toMatchObject({
      metadata: { namespace: 'oombot' },
      rules: [{ resources: ['serviceaccounts'], verbs: ['impersonate'], resourceNames: ['oombot-act'] }],
    });
    expect(of('RoleBinding', 'oombot-impersonate-act').subjects).toMatchObject([{ name: 'oombot-read' }]);
  });

  it('has for the terminal port the right to ask whose a token is, and no more', () => {
    expect(of('ClusterRole', 'oombot-token-review').rules).toEqual([
      { apiGroups: ['authentication.k8s.io'], resources: ['tokenreviews'], verbs: ['create'] },
    ]);
    expect(of('ClusterRoleBinding', 'oombot-token-review').subjects).toMatchObject([{ name: 'oombot-read' }]);
  });

  it('asks for no more than it needs', () => {
    const rules = of('ClusterRole', 'oombot-act').rules ?? [];
    const resources = rules.flatMap((rule) => rule.resources);

    expect(new Set(rules.flatMap(({ verbs }) => verbs))).toEqual(new Set(['get', 'list', 'patch', 'create']));
    expect(resources.filter((one) => /secret|exec|proxy|\*|token|pods\//.test(one))).toEqual([]);
    expect(rules.filter(({ verbs }) => verbs.includes('create')).flatMap((rule) => rule.resources)).toEqual([
      'configmaps',
    ]);
    expect(rules.find((rule) => rule.resources.includes('configmaps'))?.verbs).not.toContain('patch');
  });
});

const mayBeSet = (flag: string): boolean =>
  checkProtected([{ flag, from: null, to: '1', why: '', facts: [] }]).length === 0;

const policy = of('ValidatingAdmissionPolicy', 'oombot-act').spec!;

describe('the admission policy of oombot-act', () => {
  it('matches all resources and subresources by the one pattern that an API server takes for them', () => {
    // `*/*` beside any other is refused as invalid (apimachinery's validation of resource rules).
    expect(policy.matchConstraints.resourceRules.map(({ resources }) => resources)).toEqual([['*/*']]);
  });

  it('fails closed, for that account alone, and not for its questions', () => {
    const applies = (username: string, group: string): boolean =>
      policy.matchConditions.every(
        ({ expression }) =>
          evaluate(expression, toCel({ request: { userInfo: { username }, resource: { group } } })) === true,
      );

    expect(policy.failurePolicy).toBe('Fail');
    expect(of('ValidatingAdmissionPolicyBinding', 'oombot-act').spec).toEqual({
      policyName: 'oombot-act',
      validationActions: ['Deny'],
    });
    expect([
      applies(ACT, 'apps'),
      applies('system:serviceaccount:oombot:oombot-read', 'apps'),
      applies(ACT, 'authorization.k8s.io'),
    ]).toEqual([true, false, false]);
  });

  it('lists what the guards of a button let pass, as `npm run docs` writes it', () => {
    expect(admissionPolicy(read('admission-policy.yaml'))).toBe(read('admission-policy.yaml'));
  });

  it('lets every setting of every engine pass that a button may set, and no other', () => {
    const { flags, knobs } = tablesInForce();
    const spelled = Object.values(knobs).flatMap((one) => JSON.stringify(one).match(/--?[a-z][\w-]+(?=")/g) ?? []);
    const names = new Set([...flags.flatMap(({ flag, aliases = [] }) => [flag, ...aliases]), ...spelled]);
    const isPassed = (name: string): boolean =>
      deniedBy(policy, reviewOf(/^-/.test(name) ? withFlag(name, '1') : withVariable(name, '1'))).length === 0;
    const wrong = [...names]
      .filter((name) => /^[-A-Z][\w-]+$/.test(name))
      .filter((name) => isPassed(name) !== mayBeSet(name));

    expect(wrong).toEqual([]);
    expect(['MAX_TOTAL_TOKENS', 'MAX_BATCH_PREFILL_TOKENS', '--max-model-len'].map(isPassed)).toEqual([
      true,
      true,
      true,
    ]);
    expect(['--model', '--api-key', 'HF_TOKEN'].map(isPassed)).toEqual([false, false, false]);
  });

  it.each(ALLOWED)('lets pass: %s', (_what, change) => {
    expect(deniedBy(policy, reviewOf(change))).toEqual([]);
  });

  it.each(DENIED)('stops: %s', (_what, change) => {
    expect(deniedBy(policy, reviewOf(change))).not.toEqual([]);
  });
});
