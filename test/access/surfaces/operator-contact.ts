import { randomUUID } from 'node:crypto';
import { newChallenge } from '../../escalations/planted.ts';
import type { Stage, Surfaces } from './surface.ts';

export const operatorContactSurfaces = ({ service, params }: Stage): Surfaces => {
  const { control } = service;
  const bare = async () => {
    await control.sql('delete from operator_contact_challenges');
    await control.sql('delete from operator_contacts');
    return undefined;
  };
  /** Everybody here has a contact, with an address that is not verified. */
  const named = async () => {
    await bare();
    await control.sql(`insert into operator_contacts (principal_id, name, email)
      select id, 'Ada', 'ada@example.com' from principals`);
    return undefined;
  };
  /** Everybody here has said where they live. */
  const wanting = async () => {
    await control.sql(`insert into notice_preferences (principal_id, timezone) select id, 'Europe/Zurich' from principals
      on conflict (principal_id) do update set timezone = excluded.timezone`);
    return undefined;
  };
  /** Something that the owner was told. */
  const notice = async () => {
    await control.sql('delete from notices');
    await control.sql(
      `insert into notices (id, principal_id, fact, kind, channel, target, state)
       select 'ntf_told', principal_id, 'told', 'lifecycle_event', 'email', 'ada@example.com', 'delivered'
       from memberships where org_id = $1 and role = 'owner'`,
      [params.org_id],
    );
    return { notification_id: 'ntf_told' };
  };
  /** The operator of the owner has a passkey, a chat, and a rule of what is told there. */
  const chat = async () => {
    await bare();
    await control.sql('delete from chat_bindings');
    const [binding_id, rule_id] = [randomUUID(), randomUUID()];
    const owner = `select principal_id from memberships where org_id = $1 and role = 'owner'`;
    await control.sql(
      `insert into operator_contacts (principal_id, name, email, email_verified_at, passkey_bound_at)
       select principal_id, 'Ada', 'ada@example.com', now(), now() from (${owner}) o`,
      [params.org_id],
    );
    await control.sql(
      `insert into chat_bindings (id, principal_id, kind, status, chat_id)
       select $2, principal_id, 'telegram', 'active', 1 from (${owner}) o`,
      [params.org_id, binding_id],
    );
    await control.sql(
      `insert into notice_rules (id, principal_id, binding_id, event_types)
       select $2, principal_id, $3, '{}' from (${owner}) o`,
      [params.org_id, rule_id, binding_id],
    );
    return { binding_id, rule_id };
  };
  return {
    'POST /agent/v1/contact': {
      cells: 'A + + F A A A A',
      prepare: bare,
      body: () => ({ name: 'Ada', email: 'ada@example.com' }),
      field: () => 'mutation { setOperatorContact(input: { name: "Ada", email: "ada@example.com" }) { name } }',
    },
    'GET /agent/v1/contact/status': {
      cells: 'A + + + A A A A',
      prepare: named,
      field: () => '{ operatorContact { name } }',
    },
    'POST /agent/v1/contact/verify-email': {
      cells: 'A + + F A A A A',
      prepare: named,
      field: () => 'mutation { sendOperatorVerification(input: {}) { name } }',
    },
    'POST /agent/v1/contact/verify-email/confirm': {
      addition: { status: 200, reason: 'what the mailed link leads to, until mail can be answered' },

      cells: '+ + + F + + + +',
      prepare: async () => {
        await bare();
        return { token: await newChallenge(control) };
      },
      body: () => ({ token: params.token }),
      field: () => `mutation { confirmOperatorEmail(input: { token: "${params.token}" }) { email } }`,
    },
    'GET /agent/v1/operator/overview': {
      cells: 'A + + + A A A A',
      field: () => '{ operatorOverview { scope { kind } rollup { organizations projects wallets advisories } } }',
    },
    'GET /agent/v1/operator/projects': {
      cells: 'A + + + A A A A',
      field: () => '{ operatorProjects { projects { edges { node { name } } } } }',
    },
    'GET /agent/v1/operator/projects/:id/contents': {
      cells: 'A + + + N N A N',
      field: () => `{ operatorProjectContents(project: "${params.id}") { tables } }`,
    },
    'GET /agent/v1/operator/status': {
      cells: 'A + + + A A A A',
      field: () => '{ operatorStatus { emailStatus } }',
    },
    'GET /agent/v1/notifications': {
      cells: 'A + + + A A A A',
      field: () => '{ notifications { edges { node { notificationId } } } }',
    },
    'GET /agent/v1/notifications/:notification_id': {
      cells: 'A + + + A A A A',
      prepare: notice,
      field: () => `{ notification(notification: "${params.notification_id}") { channel } }`,
    },
    'GET /agent/v1/notifications/preferences': {
      cells: 'A + + + A A A A',
      prepare: wanting,
      field: () => '{ notificationPreferences { email } }',
    },
    'PATCH /agent/v1/notifications/preferences': {
      cells: 'A + + F A A A A',
      prepare: wanting,
      body: () => ({ digest_cadence: 'daily' }),
      field: () => 'mutation { setNotificationPreferences(input: { digestCadence: DAILY }) { digestCadence } }',
    },
    'GET /agent/v1/notifications/channels': {
      cells: 'A + + + A A A A',
      field: () => '{ notificationChannels { emailVerified } }',
    },
    'POST /agent/v1/notifications/test': {
      cells: 'A V V F A A A A',
      prepare: named,
      field: () => 'mutation { testNotification(input: {}) { sourceEventId } }',
    },
    'POST /agent/v1/webhook-secret/rotate': {
      cells: 'A V V F A A A A',
      prepare: named,
      field: () => 'mutation { rotateWebhookSecret(input: {}) { rotatedAt } }',
    },
    // Nobody has an address that was verified, and there is no provider of chats.
    'POST /agent/v1/contact/passkey/enroll': {
      cells: 'A V V F A A A A',
      prepare: named,
      field: () => 'mutation { enrollOperatorPasskey(input: {}) { name } }',
    },
    'DELETE /agent/v1/notifications/channels/chat/:binding_id': {
      cells: 'A + + F A A A A',
      prepare: chat,
      field: () => `mutation { disconnectChat(input: { binding: "${params.binding_id}" }) { bindingId } }`,
    },
    'GET /agent/v1/notifications/rules': {
      cells: 'A + + + A A A A',
      prepare: chat,
      field: () => '{ notificationRules { ruleId } }',
    },
    'POST /agent/v1/notifications/rules': {
      cells: 'A + + F A A A A',
      prepare: chat,
      body: () => ({ chat_binding_id: params.binding_id }),
      field: () => `mutation { createNotificationRule(input: { chatBindingId: "${params.binding_id}" }) { ruleId } }`,
    },
    'PATCH /agent/v1/notifications/rules/:rule_id': {
      cells: 'A + + F A A A A',
      prepare: chat,
      body: () => ({ enabled: false }),
      field: () =>
        `mutation { updateNotificationRule(input: { rule: "${params.rule_id}", enabled: false }) { ruleId } }`,
    },
    'DELETE /agent/v1/notifications/rules/:rule_id': {
      cells: 'A + + F A A A A',
      prepare: chat,
      field: () => `mutation { deleteNotificationRule(input: { rule: "${params.rule_id}" }) { ruleId } }`,
    },
    'POST /agent/v1/notifications/channels/chat': {
      cells: 'A C C F A A A A',
      field: () => 'mutation { connectChat(input: {}) { bindingId } }',
    },
  };
};
