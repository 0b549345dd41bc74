import { randomUUID } from 'node:crypto';
import { newChallenge, newEscalation, tokenOfPage } from '../escalations/planted.ts';
import type { Actor } from '../helpers/actors.ts';
import type { Service } from '../helpers/service.ts';
import { type Changes, type Home, sender } from './change.ts';

/** Every change to escalations, to whom they page, and to whom notices go. */
export function escalationChanges(service: Service, home: Home): Changes {
  const { control } = service;
  const send = sender(service);
  const org = (rest: string) => () => `/orgs/v1/${home().orgId}${rest}`;
  /** Something else each time: what was answered, removed or used up cannot be so again. */
  const anew =
    (make: () => Promise<{ readonly path: string; readonly body?: object }>, method = 'POST') =>
    async (actor: Actor) => {
      const { path, body = {} } = await make();
      return service.call<Record<string, string>>(actor, method, path, { body });
    };
  const answering = (verb: string) =>
    anew(async () => ({
      path: org(`/escalations/${await newEscalation(control, home().orgId)}/${verb}`)(),
    }));
  const escalationId = ({ escalation_id }: Record<string, string>) => escalation_id!;
  const written = 'select xmin::text from escalations where id = $1';
  const preferencesWritten = 'select xmin::text from notice_preferences where principal_id = $1';
  /** The operator of the caller has a verified address, a passkey and a webhook. */
  const proven = () =>
    control.sql(
      `insert into operator_contacts (principal_id, name, email, webhook, email_verified_at, passkey_bound_at)
       values ($1, 'Ada', 'ada@example.com', 'https://example.com/', now(), now())
       on conflict (principal_id) do update set email = excluded.email, webhook = excluded.webhook,
         email_verified_at = now(), passkey_bound_at = now()`,
      [own],
    );
  /** A chat of the operator's, with a rule. */
  const chatting = async () => {
    await proven();
    await control.sql('delete from chat_bindings');
    const [binding, rule] = [randomUUID(), randomUUID()];
    await control.sql(
      `insert into chat_bindings (id, principal_id, kind, status, chat_id) values ($1, $2, 'telegram', 'active', 1)`,
      [binding, own],
    );
    await control.sql(
      `insert into notice_rules (id, principal_id, binding_id, event_types) values ($1, $2, $3, '{}')`,
      [rule, own, binding],
    );
    return { binding, rule };
  };
  let own: string;
  let confirming: string;
  let contacts = 0;
  return {
    adminOnly: [],
    byLink: ['escalations.acknowledgeByToken', 'operator.confirmEmail'],
    async prepare() {
      const me = await service.call<{ principal: { id: string } }>(home().wallet, 'GET', '/agent/v1/whoami');
      own = me.body.principal.id;
    },
    changes: [
      {
        operation: 'escalations.raise',
        action: 'escalation.raised',
        kind: 'escalation',
        // An organization has only so many that are open.
        send: anew(async () => {
          await control.sql('delete from escalations');
          return { path: org('/escalations')(), body: { reason: 'sesame' } };
        }),
        objectId: escalationId,
        written,
      },
      {
        operation: 'escalations.acknowledge',
        action: 'escalation.acknowledged',
        kind: 'escalation',
        send: answering('ack'),
        objectId: escalationId,
        written,
      },
      {
        operation: 'escalations.resolve',
        action: 'escalation.resolved',
        kind: 'escalation',
        send: answering('resolve'),
        objectId: escalationId,
        written,
      },
      {
        operation: 'escalations.acknowledgeByToken',
        action: 'escalation.acknowledged',
        kind: 'escalation',
        send: anew(async () => {
          const { token } = await tokenOfPage(control, home().orgId);
          return { path: '/escalations/v1/ack', body: { token } };
        }),
        objectId: escalationId,
        written,
      },
      {
        operation: 'contacts.add',
        action: 'escalation_contact.added',
        kind: 'escalation_contact',
        // Whatever waits for a contact would be paged by the way.
        send: anew(async () => {
          await control.sql('delete from escalations');
          return { path: org('/escalation-contacts')(), body: { email: `ada${++contacts}@example.com` } };
        }),
        objectId: ({ contact_id }) => contact_id!,
        written: 'select xmin::text from escalation_contacts where id = $1',
      },
      {
        operation: 'contacts.remove',
        action: 'escalation_contact.removed',
        kind: 'escalation_contact',
        // The page stays; it is left alone by the removal, and so is looked at for the row of the trail itself.
        send: anew(async () => {
          const { contactId } = await tokenOfPage(control, home().orgId);
          return { path: org(`/escalation-contacts/${contactId}`)() };
        }, 'DELETE'),
        objectId: ({ contact_id }) => contact_id!,
        // Nothing is left of a row that was removed but what the trail says.
        written: 'select xmin::text from audit_events where object_id = $1',
      },
      {
        operation: 'operator.setContact',
        action: 'operator_contact.set',
        kind: 'principal',
        send: send(
          'POST',
          () => '/agent/v1/contact',
          () => ({ name: 'Ada' }),
        ),
        objectId: () => own,
        written: 'select xmin::text from operator_contacts where principal_id = $1',
      },
      {
        operation: 'operator.sendVerification',
        action: 'operator_contact.verification_sent',
        kind: 'principal',
        send: anew(async () => {
          await control.sql('delete from operator_contact_challenges');
          await control.sql(
            `insert into operator_contacts (principal_id, name, email) values ($1, 'Ada', 'ada@example.com')
             on conflict (principal_id) do update set email = excluded.email, email_verified_at = null`,
            [own],
          );
          return { path: '/agent/v1/contact/verify-email' };
        }),
        objectId: () => own,
        written: 'select xmin::text from operator_contacts where principal_id = $1',
      },
      {
        operation: 'operator.enrollPasskey',
        action: 'operator_contact.passkey_asked',
        kind: 'principal',
        send: anew(async () => {
          await control.sql('delete from sign_in_tries');
          await control.sql(
            `insert into operator_contacts (principal_id, name, email, email_verified_at)
             values ($1, 'Ada', 'ada@example.com', now())
             on conflict (principal_id) do update set email = excluded.email, email_verified_at = now()`,
            [own],
          );
          return { path: '/agent/v1/contact/passkey/enroll' };
        }),
        objectId: () => own,
        written: 'select xmin::text from operator_contacts where principal_id = $1',
      },
      {
        operation: 'notices.setPreferences',
        action: 'notices.preferences_set',
        kind: 'principal',
        send: send(
          'PATCH',
          () => '/agent/v1/notifications/preferences',
          () => ({ digest_cadence: 'daily' }),
        ),
        objectId: () => own,
        written: preferencesWritten,
      },
      {
        operation: 'notices.rotateSecret',
        action: 'notices.secret_rotated',
        kind: 'principal',
        send: anew(async () => {
          await proven();
          return { path: '/agent/v1/webhook-secret/rotate' };
        }),
        objectId: () => own,
        written: preferencesWritten,
      },
      {
        operation: 'notices.test',
        action: 'notices.tested',
        kind: 'principal',
        send: anew(async () => {
          await proven();
          await control.sql('update notice_preferences set tested_at = null');
          return { path: '/agent/v1/notifications/test' };
        }),
        objectId: () => own,
        written: preferencesWritten,
      },
      {
        operation: 'notices.connectChat',
        action: 'notices.chat_connected',
        kind: 'chat_binding',
        send: anew(async () => {
          await proven();
          await control.sql('delete from chat_bindings');
          return { path: '/agent/v1/notifications/channels/chat', body: { url: 'https://example.com/hook' } };
        }),
        objectId: ({ binding_id }) => binding_id!,
        written: 'select xmin::text from chat_bindings where id = $1',
      },
      {
        operation: 'notices.disconnectChat',
        action: 'notices.chat_disconnected',
        kind: 'chat_binding',
        send: anew(
          async () => ({ path: `/agent/v1/notifications/channels/chat/${(await chatting()).binding}` }),
          'DELETE',
        ),
        objectId: ({ binding_id }) => binding_id!,
        written: 'select xmin::text from chat_bindings where id = $1',
      },
      {
        operation: 'notices.createRule',
        action: 'notices.rule_created',
        kind: 'notice_rule',
        send: anew(async () => ({
          path: '/agent/v1/notifications/rules',
          body: { chat_binding_id: (await chatting()).binding },
        })),
        objectId: ({ id }) => id!,
        written: 'select xmin::text from notice_rules where id = $1',
      },
      {
        operation: 'notices.updateRule',
        action: 'notices.rule_updated',
        kind: 'notice_rule',
        send: anew(
          async () => ({ path: `/agent/v1/notifications/rules/${(await chatting()).rule}`, body: { enabled: false } }),
          'PATCH',
        ),
        objectId: ({ id }) => id!,
        written: 'select xmin::text from notice_rules where id = $1',
      },
      {
        operation: 'notices.deleteRule',
        action: 'notices.rule_deleted',
        kind: 'notice_rule',
        send: anew(async () => ({ path: `/agent/v1/notifications/rules/${(await chatting()).rule}` }), 'DELETE'),
        objectId: ({ rule_id }) => rule_id!,
        // The row itself is gone.
        written: `select xmin::text from audit_events where action = 'notices.rule_deleted' and object_id = $1`,
      },
      {
        operation: 'operator.confirmEmail',
        action: 'operator_contact.email_verified',
        kind: 'principal',
        send: anew(async () => {
          confirming = service.app.services.newId('prn');
          return {
            path: '/agent/v1/contact/verify-email/confirm',
            body: { token: await newChallenge(control, confirming) },
          };
        }),
        objectId: () => confirming,
        written: 'select xmin::text from operator_contacts where principal_id = $1',
      },
    ],
  };
}
