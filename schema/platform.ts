import { z } from 'zod';
import type { MailMessage } from '../db/schema/platform.ts';
import { limitNames, limitsOf, limitWireNames } from '../kernel/limits/limits.ts';
import type { Limits } from '../kernel/limits/tier-limits.ts';
import { listOutbox } from '../resolvers/mail/list-outbox.ts';
import { loadMails } from '../resolvers/mail/load-mails.ts';
import { sendTestMail } from '../resolvers/mail/send-test-mail.ts';
import { setLimits } from '../resolvers/orgs/set-limits.ts';
import { builder } from './builder.ts';
import { inOrder, listConnection } from './connection.ts';
import { keyed, keyField } from './idempotency.ts';
import { changeField, inputsOf, readField, rootFieldOf } from './operation-field.ts';
import { OrganizationRef } from './orgs.ts';
import { run } from './run.ts';

const MailStateEnum = builder.enumType('MailState', {
  description: 'How far a mail has come.',
  values: {
    QUEUED: { value: 'queued', description: 'Waits to be sent, or for mail to be configured.' },
    SENT: { value: 'sent', description: 'Handed to the mail server.' },
    FAILED: { value: 'failed', description: 'Given up.' },
  } as const,
});

const OutboxMailRef = builder.loadableNodeRef<MailMessage, string>('OutboxMail', {
  id: { resolve: ({ id }) => id },
  load: async (ids, ctx) => inOrder(ids, await loadMails(ctx, ids), ({ id }) => id) as MailMessage[],
  toKey: ({ id }) => id,
});

OutboxMailRef.implement({
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

readField('outboxMails', listOutbox, {
  type: OutboxMailConnection,
  paged: true,
  types: { state: MailStateEnum },
  result: listConnection,
});

const LimitInput = builder.inputType('LimitInput', {
  description: 'One limit of an organization.',
  fields: (t) => ({
    name: t.string({
      description: `One of ${limitNames.join(', ')}.`,
      validate: z.enum(limitNames, `must be one of ${limitNames.join(', ')}`),
    }),
    value: t.float({ required: false, description: 'The organization’s own value; null puts the tier’s back.' }),
  }),
});

export const LimitsRef = builder.objectRef<Limits>('OrganizationLimits').implement({
  description: 'The limits that hold for an organization: its tier’s, or its own.',
  fields: (t) => ({
    readsPerSecond: t.exposeFloat('readsPerSecond', { description: 'Reads a caller may make, per second.' }),
    readsBurst: t.exposeFloat('readsBurst', { description: 'Reads a caller may make at once.' }),
    writesPerSecond: t.exposeFloat('writesPerSecond', { description: 'Changes a caller may make, per second.' }),
    writesBurst: t.exposeFloat('writesBurst', { description: 'Changes a caller may make at once.' }),
    projects: t.exposeFloat('projects', { description: 'Projects that are not deleted.' }),
    members: t.exposeFloat('members', { description: 'Members and pending invitations.' }),
    grantsPerProject: t.exposeFloat('grantsPerProject', { description: 'Grants that hold, of one project.' }),
    delegatesPerProject: t.exposeFloat('delegatesPerProject', { description: 'Delegates that hold, of one project.' }),
    liveConnectionsPerProject: t.exposeFloat('liveConnectionsPerProject', {
      description: 'Live connections of one project at once, on all nodes together.',
    }),
    apiCalls: t.exposeFloat('apiCalls', { description: 'Data-plane requests per lease.' }),
    storageBytes: t.exposeFloat('storageBytes', { description: 'Bytes stored by all projects together.' }),
    secrets: t.exposeFloat('secrets', { description: 'Secrets of all projects together.' }),
    messagesPerDay: t.exposeFloat('messagesPerDay', { description: 'Messages sent in all rooms, per day of UTC.' }),
    eventsPerDay: t.exposeFloat('eventsPerDay', { description: 'Events that applications emit in a UTC day.' }),
    emailsPerDay: t.exposeFloat('emailsPerDay', { description: 'Mails that mailboxes send in a UTC day.' }),
    mailRecipients: t.exposeFloat('mailRecipients', {
      description: 'Addresses that mailboxes write to while usage is counted.',
    }),
  }),
});

builder.objectField(OrganizationRef, 'limits', (t) =>
  t.field({
    type: LimitsRef,
    description: 'The limits that hold.',
    resolve: limitsOf,
  }),
);

const limited = inputsOf(setLimits, { omit: ['limits'] });

const SetOrganizationLimitsInput = builder.inputType('SetOrganizationLimitsInput', {
  description: 'Limits of one organization apart from its tier.',
  fields: (t) => ({
    ...limited.fields(t),
    limits: t.field({ type: [LimitInput], description: 'Limits to set; those not named stay as they are.' }),
    ...keyField(t),
  }),
});

builder.mutationField('setOrganizationLimits', (t) =>
  t.field({
    type: OrganizationRef,
    nullable: true,
    ...rootFieldOf(setLimits),
    args: { input: t.arg({ type: SetOrganizationLimitsInput, description: 'The limits.' }) },
    resolve: async (_root, { input: { limits, idempotencyKey, ...given } }, ctx) => {
      const byName = limits.map(({ name, value }) => [limitWireNames[name as keyof Limits], value ?? null]);
      const changed = await run(setLimits, keyed(ctx, idempotencyKey ?? undefined), {
        ...limited.read(given),
        limits: Object.fromEntries(byName),
      });
      return { ...changed, role: null };
    },
  }),
);

changeField('sendTestMail', sendTestMail, {
  type: OutboxMailRef,
  input: 'Where a test mail goes.',
  argument: 'Where it goes.',
});
