import type { Climb, DeliveryAttempt, Escalation } from '../db/schema/escalations.ts';
import { acknowledgeByToken } from '../resolvers/escalations/acknowledge-by-token.ts';
import { acknowledgeEscalation } from '../resolvers/escalations/acknowledge-escalation.ts';
import { getEscalation, loadAttempts } from '../resolvers/escalations/get-escalation.ts';
import { type EscalationPage, listEscalations } from '../resolvers/escalations/list-escalations.ts';
import { openEscalationFeed } from '../resolvers/escalations/open-escalations.ts';
import {
  type RaisedEscalation,
  raisedActions,
  raiseEscalation,
  warningsOf,
} from '../resolvers/escalations/raise-escalation.ts';
import { resolveEscalation } from '../resolvers/escalations/resolve-escalation.ts';
import type { Answered } from '../resolvers/escalations/wire.ts';
import { builder, pageArgs, sameForAll } from './builder.ts';
import { listConnection, listWindowOf, type PageArgs, sliceConnection } from './connection.ts';
import { followable, followFrom, followFromDescription } from './following.ts';
import { loaderOf } from './loader.ts';
import { changeField, inputsOf, readField, rootFieldOf } from './operation-field.ts';
import { run } from './run.ts';
import { selectedBelow } from './selected.ts';

const SeverityEnum = builder.enumType('EscalationSeverity', {
  description: 'How soon a page climbs.',
  values: {
    NORMAL: { value: 'normal', description: 'After two hours.' },
    HIGH: { value: 'high', description: 'After half an hour.' },
  } as const,
});

const StatusEnum = builder.enumType('EscalationStatus', {
  description: 'How an escalation stands.',
  values: {
    OPEN: { value: 'open', description: 'Nobody has answered yet.' },
    ACKNOWLEDGED: { value: 'acknowledged', description: 'Somebody looks at it; nobody is paged any more.' },
    RESOLVED: { value: 'resolved', description: 'Closed for good.' },
  } as const,
});

const AnswerChannelEnum = builder.enumType('EscalationAnswerChannel', {
  description: 'How somebody answered.',
  values: {
    TOKEN: { value: 'token', description: 'By the link of a page.' },
    AUTHENTICATED: { value: 'authenticated', description: 'With a credential.' },
  } as const,
});

const AttemptStatusEnum = builder.enumType('DeliveryAttemptStatus', {
  description: 'What came of a try to deliver a page.',
  values: {
    DELIVERED: { value: 'delivered', description: 'The mail server took it.' },
    FAILED_TRANSIENT: { value: 'failed_transient', description: 'It is tried again.' },
    FAILED_PERMANENT: { value: 'failed_permanent', description: 'It was given up.' },
    SKIPPED_DISABLED: { value: 'skipped_disabled', description: 'It was not tried.' },
  } as const,
});

const ChannelEnum = builder.enumType('DeliveryChannel', {
  description: 'What carries a page.',
  values: {
    EMAIL: { value: 'email', description: 'Mail.' },
    CHAT: { value: 'chat', description: 'A chat.' },
    WEBHOOK: { value: 'webhook', description: 'A webhook.' },
  } as const,
});

const ClimbRef = builder.objectRef<Climb>('EscalationClimb').implement({
  description: 'A step up the ladder, since nobody answered in time.',
  fields: (t) => ({
    fromLevel: t.exposeInt('from_level', { description: 'Level that did not answer.' }),
    toLevel: t.exposeInt('to_level', { description: 'Level that was paged instead.' }),
    reason: t.exposeString('reason', { description: '`deadline_lapsed`: nobody answered in time.' }),
    at: t.field({
      ...sameForAll,
      type: 'DateTime',
      description: 'When it was taken.',
      resolve: ({ at }) => new Date(at),
    }),
  }),
});

const AttemptRef = builder.objectRef<DeliveryAttempt>('EscalationDeliveryAttempt').implement({
  description: 'A try to deliver a page, as whoever tried noted it.',
  fields: (t) => ({
    email: t.exposeString('email', { description: 'Address of the contact.' }),
    channel: t.expose('channel', { type: ChannelEnum, description: 'What carried it.' }),
    status: t.expose('status', { type: AttemptStatusEnum, description: 'What came of it.' }),
    error: t.exposeString('error', { nullable: true, description: 'Why it failed; null when it did not.' }),
    at: t.expose('at', { type: 'DateTime', description: 'When it was tried.' }),
  }),
});

const AttemptConnection = builder.connectionObject({
  type: AttemptRef,
  name: 'EscalationDeliveryAttemptConnection',
});

/** Of several escalations in one statement, however many ask. */
const attemptsOf = loaderOf(
  (ctx, asked: readonly Escalation[]) => loadAttempts(ctx.services, asked),
  ({ id }) => id,
);

export const EscalationRef = builder.objectRef<Escalation>('Escalation').implement({
  description: 'An agent asks the humans of its organization to look. It changes nothing by itself.',
  fields: (t) => ({
    escalationId: t.exposeString('id', { description: 'Native id, a UUID.' }),
    orgId: t.exposeString('orgId', { description: 'Native id of the organization, a UUID.' }),
    projectId: t.exposeString('projectId', {
      nullable: true,
      description: 'Native id of the project that it is about, which may be gone; null for none.',
    }),
    raisedBy: t.exposeString('raisedBy', { description: 'Principal that raised it, `prn_…`.' }),
    delegateId: t.exposeString('delegateId', {
      nullable: true,
      description: 'Delegate that raised it; null for none.',
    }),
    presenceName: t.exposeString('presenceName', { nullable: true, description: 'Name that its raiser goes by.' }),
    severity: t.expose('severity', { type: SeverityEnum, description: 'How soon it climbs.' }),
    reason: t.exposeString('reason', { description: 'What its raiser wrote, verbatim; at most 4 KiB.' }),
    details: t.expose('details', { type: 'JSONObject', description: 'What else its raiser gave; at most 16 KiB.' }),
    status: t.expose('status', { type: StatusEnum, description: 'How it stands.' }),
    level: t.exposeInt('level', { description: 'Level that is paged.' }),
    raisedAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was raised.' }),
    deadlineAt: t.expose('deadlineAt', { type: 'DateTime', description: 'When the page climbs, or would have.' }),
    acknowledgedAt: t.expose('acknowledgedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When somebody said that they look at it; null until then.',
    }),
    acknowledgedByEmail: t.exposeString('acknowledgedByEmail', {
      nullable: true,
      description: 'Verified address of who said so; null without one.',
    }),
    acknowledgedVia: t.expose('acknowledgedVia', {
      type: AnswerChannelEnum,
      nullable: true,
      description: 'How they said so.',
    }),
    resolvedAt: t.expose('resolvedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was closed; null until then.',
    }),
    resolvedByEmail: t.exposeString('resolvedByEmail', {
      nullable: true,
      description: 'Verified address of who closed it; null without one.',
    }),
    resolvedNote: t.exposeString('resolvedNote', { nullable: true, description: 'What came of it.' }),
    climbs: t.expose('climbs', { ...sameForAll, type: [ClimbRef], description: 'Steps up the ladder, oldest first.' }),
    repageCount: t.exposeInt('repageCount', { description: 'How often the top was paged again.' }),
    deliveryAttempts: t.field({
      type: AttemptConnection,
      description: 'What became of each page, in the order of the tries.',
      args: pageArgs,
      resolve: async (escalation, page, ctx) =>
        sliceConnection(await attemptsOf(ctx).load(escalation), ({ mailId, attempt }) => `${mailId}.${attempt}`, page),
    }),
  }),
});

const EscalationEdge = builder.edgeObject({ type: EscalationRef, name: 'EscalationEdge' });

const ScopeEnum = builder.enumType('EscalationListScope', {
  description: 'Which escalations a list is of.',
  values: {
    ORGANIZATION: { value: 'organization', description: 'All of the organization.' },
    OWN: { value: 'own', description: 'Those that the caller raised.' },
  } as const,
});

/** A page that remembers whose escalations it shows. */
const toConnection = (page: EscalationPage, args: PageArgs) => ({ ...listConnection(page, args), scope: page.scope });

const EscalationConnection = builder.objectRef<ReturnType<typeof toConnection>>('EscalationConnection').implement({
  description: 'A page of escalations.',
  fields: (t) => ({
    edges: t.expose('edges', { type: [EscalationEdge], description: 'The rows of the page.' }),
    pageInfo: t.expose('pageInfo', {
      type: builder.pageInfoRef(),
      description: 'Where the page ends, and whether there is more.',
    }),
    scope: t.expose('scope', { type: ScopeEnum, description: 'Which escalations it shows.' }),
    cursor: t.string({ nullable: true, description: followFromDescription, resolve: followFrom }),
  }),
});

const PagedRef = builder.objectRef<RaisedEscalation['willPage'][number]>('PagedContact').implement({
  description: 'Somebody that a page was queued for.',
  fields: (t) => ({
    email: t.exposeString('email', { description: 'Address of the contact.' }),
    displayName: t.exposeString('displayName', { nullable: true, description: 'What people call the contact.' }),
  }),
});

const RaisedRef = builder.objectRef<RaisedEscalation>('RaisedEscalation').implement({
  description: 'What raising an escalation set going.',
  fields: (t) => ({
    escalation: t.expose('escalation', { type: EscalationRef, description: 'The escalation.' }),
    willPage: t.expose('willPage', {
      type: [PagedRef],
      description: 'Whom its first pages are for: queued, and not delivered yet.',
    }),
    deduplicated: t.exposeBoolean('deduplicated', {
      description: 'Whether it is an earlier one under the same key: nobody was paged again.',
    }),
    warnings: t.stringList({ description: 'What its raiser has to know.', resolve: warningsOf }),
    deliveryStatus: t.string({
      description: '`queued`: its pages are on their way, and nothing is known of them yet.',
      resolve: () => 'queued',
    }),
    nextActions: t.field({
      type: ['JSONObject'],
      description: 'How to hear how it stands.',
      resolve: (raised) => raisedActions(raised).map((action) => ({ ...action })),
    }),
  }),
});

const AnsweredRef = builder.objectRef<Answered>('AnsweredEscalation').implement({
  description: 'An escalation that was answered.',
  fields: (t) => ({
    escalation: t.expose('escalation', { type: EscalationRef, description: 'The escalation as it stands.' }),
    changed: t.exposeBoolean('changed', { description: 'False when somebody was first: their answer is kept.' }),
  }),
});

/** What the holder of a link is shown. */
const TokenAnswerRef = builder.objectRef<Answered>('EscalationTokenAnswer').implement({
  description: 'An escalation as its page’s link shows it.',
  fields: (t) => ({
    escalationId: t.string({ description: 'Native id, a UUID.', resolve: ({ escalation }) => escalation.id }),
    status: t.field({
      type: StatusEnum,
      description: 'How it stands.',
      resolve: ({ escalation }) => escalation.status,
    }),
    reason: t.string({ description: 'What its raiser wrote.', resolve: ({ escalation }) => escalation.reason }),
    acknowledgedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When somebody said that they look at it.',
      resolve: ({ escalation }) => escalation.acknowledgedAt,
    }),
    changed: t.exposeBoolean('changed', { description: 'False when somebody was first.' }),
  }),
});

const listed = inputsOf(listEscalations, {
  omit: ['limit', 'after', 'before', 'from_end'],
  types: { status: StatusEnum },
});

builder.queryField('escalations', (t) =>
  t.field({
    type: EscalationConnection,
    nullable: true,
    ...rootFieldOf(listEscalations),
    args: { ...listed.args, ...pageArgs },
    resolve: (_root, args, ctx, info) => {
      const wanted = listed.read(args);
      const { org } = wanted;
      const open = selectedBelow(info, '').has('cursor') ? () => run(openEscalationFeed, ctx, { org }) : undefined;
      return followable(ctx, open, async () =>
        toConnection(await run(listEscalations, ctx, { ...wanted, ...listWindowOf(args) }), args),
      );
    },
  }),
);

readField('escalation', getEscalation, {
  type: EscalationRef,
  ids: { escalation: null },
  omit: ['include'],
  result: ({ escalation }) => escalation,
});

changeField('raiseEscalation', raiseEscalation, {
  type: RaisedRef,
  input: 'Why somebody is asked for.',
  argument: 'The escalation.',
  types: { severity: SeverityEnum },
});

changeField('acknowledgeEscalation', acknowledgeEscalation, {
  type: AnsweredRef,
  input: 'Which escalation one looks at.',
  argument: 'The escalation.',
  ids: { escalation: null },
});

changeField('resolveEscalation', resolveEscalation, {
  type: AnsweredRef,
  input: 'Which escalation is closed.',
  argument: 'The escalation.',
  ids: { escalation: null },
});

changeField('acknowledgeByToken', acknowledgeByToken, {
  type: TokenAnswerRef,
  input: 'The link of a page.',
  argument: 'The link.',
  key: false,
});
