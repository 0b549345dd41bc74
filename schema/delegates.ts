import type { Delegate, DelegateScope, SpendCap } from '../db/schema/projects.ts';
import type { Capability } from '../kernel/access/permissions.ts';
import { createDelegate } from '../resolvers/grants/create-delegate.ts';
import type { DelegateKind } from '../resolvers/grants/delegate-input.ts';
import type { IssuedDelegate } from '../resolvers/grants/delegate-wire.ts';
import { listDelegates } from '../resolvers/grants/list-delegates.ts';
import { revokeDelegate } from '../resolvers/grants/revoke-delegate.ts';
import { rotateDelegate } from '../resolvers/grants/rotate-delegate.ts';
import { builder, pageArgs } from './builder.ts';
import { sliceConnection } from './connection.ts';
import { CapabilityEnum } from './grants.ts';
import { changeField, fieldOf } from './operation-field.ts';
import { ProjectRef } from './projects.ts';
import { run } from './run.ts';

const DelegatePurposeEnum = builder.enumType('DelegatePurpose', {
  description: 'Whom a delegate is for who needs no grant made before.',
  values: {
    AGENT: { value: 'agent', description: 'An agent that reads, changes and deploys the project.' },
  } as const,
});

const DelegateKindEnum = builder.enumType('DelegateKind', {
  description: 'How a delegate proves itself.',
  values: {
    SVC_AGENT_KEY: { value: 'svc_agent_key', description: 'By a token, which is shown once.' },
    CI_OIDC: { value: 'ci_oidc', description: 'By the identity token of a build.' },
    TEMPO_ACCESS_KEY: { value: 'tempo_access_key', description: 'By an access key of an account on Tempo.' },
    BASE_DISPOSABLE_EOA: { value: 'base_disposable_eoa', description: 'By a throw-away account on Base.' },
    ERC7710: { value: 'erc7710', description: 'By a delegation on chain; not offered yet.' },
  } as const satisfies Record<string, { value: DelegateKind; description: string }>,
});

const SpendPeriodEnum = builder.enumType('SpendPeriod', {
  description: 'How often an allowance begins anew.',
  values: {
    DAY: { value: 'day', description: 'Each day.' },
    WEEK: { value: 'week', description: 'Each week.' },
    MONTH: { value: 'month', description: 'Each month.' },
  } as const,
});

const DelegateScopeRef = builder.objectRef<DelegateScope>('DelegateScope').implement({
  description: 'What a delegate may do; never more than the grant it narrows.',
  fields: (t) => ({
    capabilities: t.field({
      type: [CapabilityEnum],
      description: 'Capabilities of its grant.',
      resolve: ({ capabilities }) => capabilities as readonly Capability[],
    }),
    projects: t.exposeStringList('projects', {
      nullable: true,
      description: 'Native ids of its projects; null for the grant’s own.',
    }),
  }),
});

const SpendCapRef = builder.objectRef<SpendCap>('SpendCap').implement({
  description: 'What a delegate may spend, in micro-dollars; held to when paying.',
  fields: (t) => ({
    period: t.expose('period', {
      type: SpendPeriodEnum,
      nullable: true,
      description: 'How often `perPeriod` begins anew.',
    }),
    perPeriod: t.exposeFloat('per_period', { nullable: true, description: 'At most in each period.' }),
    perTx: t.exposeFloat('per_tx', { nullable: true, description: 'At most in each payment.' }),
  }),
});

const DelegateRef = builder.objectRef<Delegate>('Delegate').implement({
  description: 'A principal of its own that acts by a part of a grant.',
  fields: (t) => ({
    delegateId: t.exposeString('id', { description: 'Native id, a UUID.' }),
    projectId: t.exposeString('projectId', { description: 'Native id of the project, `prj_…`.' }),
    grantId: t.exposeString('grantId', { description: 'The grant that it narrows, a UUID.' }),
    principalId: t.exposeString('principalId', { description: 'Who it acts as, `prn_…`.' }),
    kind: t.field({
      type: DelegateKindEnum,
      description: 'How it proves itself.',
      resolve: ({ kind }) => kind as DelegateKind,
    }),
    scope: t.expose('scope', { type: DelegateScopeRef, description: 'What it may do.' }),
    spendCap: t.expose('spendCap', {
      type: SpendCapRef,
      nullable: true,
      description: 'What it may spend; null for no limit.',
    }),
    publicSubject: t.exposeString('publicSubject', {
      nullable: true,
      description: 'What it is known by; null for a kind that has a token.',
    }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it ends; null for never.',
    }),
    revokedAt: t.expose('revokedAt', { type: 'DateTime', nullable: true, description: 'When it was ended.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was made.' }),
  }),
});

const IssuedDelegateRef = builder.objectRef<IssuedDelegate>('IssuedDelegate').implement({
  description: 'A delegate together with its token.',
  fields: (t) => ({
    delegate: t.expose('delegate', { type: DelegateRef, description: 'The delegate.' }),
    token: t.exposeString('token', {
      nullable: true,
      description: 'Shown this once; null for a kind that has none.',
    }),
  }),
});

const DelegateConnection = builder.connectionObject({ type: DelegateRef, name: 'DelegateConnection' });

builder.objectField(ProjectRef, 'delegates', (t) =>
  t.field({
    type: DelegateConnection,
    nullable: true,
    ...fieldOf(listDelegates),
    args: pageArgs,
    resolve: async ({ id }, page, ctx) =>
      sliceConnection(await run(listDelegates, ctx, { project: id }), (delegate) => delegate.id, page),
  }),
);

changeField('createDelegate', createDelegate, {
  type: IssuedDelegateRef,
  input: 'Which part of which grant, and for whom.',
  argument: 'The new delegate.',
  ids: { grant: null },
  // Their versions are no question here.
  describe: { scope: 'What it may do; not with `for`.', spend_cap: 'What it may spend; no limit when absent.' },
  types: {
    for: DelegatePurposeEnum,
    kind: DelegateKindEnum,
    scope: {
      name: 'DelegateScopeInput',
      description: 'What a delegate may do; never more than the grant it narrows.',
      types: { capabilities: CapabilityEnum },
    },
    spend_cap: {
      name: 'SpendCapInput',
      description: 'What a delegate may spend, in micro-dollars.',
      types: { period: SpendPeriodEnum },
    },
  },
});

const delegate = { input: 'Which delegate is meant.', inputName: 'DelegateInput', argument: 'The delegate.' } as const;

changeField('rotateDelegate', rotateDelegate, { type: IssuedDelegateRef, ...delegate, ids: { delegate: null } });
changeField('revokeDelegate', revokeDelegate, { type: DelegateRef, ...delegate, ids: { delegate: null } });
