import { dropNulls } from '../core/drop-nulls.ts';
import type { MailMessage } from '../db/schema/platform.ts';
import { execute } from '../resolvers/execute.ts';
import { limitNames, limitsOf } from '../resolvers/limits.ts';
import { listOutbox } from '../resolvers/mail/list-outbox.ts';
import { sendTestMail } from '../resolvers/mail/send-test-mail.ts';
import { setLimits } from '../resolvers/orgs/set-limits.ts';
import { builder, pageArgs } from './builder.ts';
import { listConnection } from './connection.ts';
import { nativeId } from './global-id.ts';
import { keyed, keyField } from './idempotency.ts';
import { OrganizationRef } from './orgs.ts';

const MailStateEnum = builder.enumType('MailState', {
  description: 'How far a mail has come.',
  values: {
    QUEUED: { value: 'queued', description: 'Waits to be sent, or for mail to be configured.' },
    SENT: { value: 'sent', description: 'Handed to the mail server.' },
    FAILED: { value: 'failed', description: 'Given up.' },
  } as const,
});

const OutboxMailRef = builder.objectRef<MailMessage>('OutboxMail').implement({
  description: 'A mail on its way out.',
  fields: (t) => ({
    mailId: t.exposeString('id', { description: 'Native id, `mail_…`.' }),
    recipient: t.exposeString('recipient', { description: 'Address it goes to.' }),
    subject: t.exposeString('subject', { description: 'Subject line.' }),
    bodyText: t.exposeString('bodyText', { description: 'Plain text.' }),
    state: t.expose('state', { type: MailStateEnum, description: 'How far it has come.' }),
    attempts: t.exposeInt('attempts', { description: 'How often sending was tried.' }),
    lastError: t.exposeString('lastError', {
      nullable: true,
      description: 'Why the last try failed; null when none did.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was written.' }),
    sentAt: t.expose('sentAt', { type: 'DateTime', nullable: true, description: 'When it was sent; null until then.' }),
  }),
});

const OutboxMailConnection = builder.connectionObject({ type: OutboxMailRef, name: 'OutboxMailConnection' });

builder.queryField('mailOutbox', (t) =>
  t.field({
    type: OutboxMailConnection,
    nullable: true,
    description: listOutbox.summary,
    authScopes: { credential: true },
    args: pageArgs,
    resolve: async (_root, page, ctx) => {
      const window = dropNulls({ limit: page.first, after: page.after });
      return listConnection(await execute(listOutbox, ctx, window), page);
    },
  }),
);

const SendTestMailInput = builder.inputType('SendTestMailInput', {
  description: 'Where a test mail goes.',
  fields: (t) => ({ to: t.string({ description: 'Address that gets the mail.' }), ...keyField(t) }),
});

const LimitInput = builder.inputType('LimitInput', {
  description: 'One limit of an organization.',
  fields: (t) => ({
    name: t.string({ description: `One of ${limitNames.join(', ')}.` }),
    value: t.float({ required: false, description: 'The organization’s own value; null puts the tier’s back.' }),
  }),
});

const SetOrganizationLimitsInput = builder.inputType('SetOrganizationLimitsInput', {
  description: 'Limits of one organization apart from its tier.',
  fields: (t) => ({
    org: t.id({ description: 'Organization, by global or native id.' }),
    limits: t.field({ type: [LimitInput], description: 'Limits to set; those not named stay as they are.' }),
    ...keyField(t),
  }),
});

const LimitRef = builder.objectRef<{ name: string; value: number }>('Limit').implement({
  description: 'One limit that holds for an organization.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'For example `projects`.' }),
    value: t.exposeFloat('value', { description: 'What is allowed.' }),
  }),
});

builder.objectField(OrganizationRef, 'limits', (t) =>
  t.field({
    type: [LimitRef],
    description: 'The limits that hold, one for each name.',
    resolve: (org) => Object.entries(limitsOf(org)).map(([name, value]) => ({ name, value })),
  }),
);

builder.mutationFields((t) => ({
  setOrganizationLimits: t.field({
    type: OrganizationRef,
    nullable: true,
    description: setLimits.summary,
    authScopes: { credential: true },
    args: { input: t.arg({ type: SetOrganizationLimitsInput, description: 'The limits.' }) },
    resolve: async (_root, { input: { org, limits, idempotencyKey } }, ctx) => {
      const given = Object.fromEntries(limits.map(({ name, value }) => [name, value ?? null]));
      const changed = await execute(setLimits, keyed(ctx, idempotencyKey ?? undefined), {
        org: nativeId('Organization', org),
        limits: given,
      });
      return { ...changed, role: null };
    },
  }),
  sendTestMail: t.field({
    type: OutboxMailRef,
    nullable: true,
    description: sendTestMail.summary,
    authScopes: { credential: true },
    args: { input: t.arg({ type: SendTestMailInput, description: 'Where it goes.' }) },
    resolve: (_root, { input: { to, idempotencyKey } }, ctx) =>
      execute(sendTestMail, keyed(ctx, idempotencyKey ?? undefined), { to }),
  }),
}));
