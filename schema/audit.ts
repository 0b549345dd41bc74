import type { AuditEvent } from '../db/schema/orgs.ts';
import { listAudit } from '../resolvers/orgs/list-audit.ts';
import { builder, pageArgs } from './builder.ts';
import { listConnection, listWindowOf } from './connection.ts';
import { fieldOf, inputsOf } from './operation-field.ts';
import { OrganizationRef } from './orgs.ts';
import { run } from './run.ts';

const AuditEventRef = builder.objectRef<AuditEvent>('AuditEvent').implement({
  description: 'A change that took place in an organization. What is refused leaves none.',
  fields: (t) => ({
    eventId: t.exposeString('id', { description: 'Native id, `aud_…`.' }),
    occurredAt: t.expose('occurredAt', { type: 'DateTime', description: 'When it took place.' }),
    action: t.exposeString('action', { description: 'What was done, for example `project.created`.' }),
    objectKind: t.exposeString('objectKind', { description: 'What it was done to, for example `project`.' }),
    objectId: t.exposeString('objectId', { description: 'Native id of what it was done to.' }),
    actor: t.expose('actor', {
      type: 'JSONObject',
      description: 'Who acted, how they proved it and by what right, as it was then.',
    }),
    details: t.expose('details', { type: 'JSONObject', description: 'What else there is to say of the action.' }),
    traceId: t.exposeString('traceId', { description: 'The request, as the server’s log has it: `trc_…`.' }),
  }),
});

const AuditEventConnection = builder.connectionObject({ type: AuditEventRef, name: 'AuditEventConnection' });

const wanted = inputsOf(listAudit, { omit: ['org', 'older_than', 'limit', 'after', 'before', 'from_end'] });

builder.objectField(OrganizationRef, 'auditEvents', (t) =>
  t.field({
    type: AuditEventConnection,
    nullable: true,
    ...fieldOf(listAudit),
    args: { ...pageArgs, ...wanted.args },
    resolve: async ({ id }, args, ctx) => {
      const asked = { org: id, ...wanted.read(args), ...listWindowOf(args) };
      return listConnection(await run(listAudit, ctx, asked, wanted.names), args);
    },
  }),
);
