import { helloSha256, holdHello } from './held-content.ts';
import type { Stage, Surfaces } from './surface.ts';

export const mailboxSurfaces = (stage: Stage): Surfaces => {
  const { params, service } = stage;
  /** A mailbox of this project's, the same each time that it is asked for. */
  const idOf = () => `mbx_of_${params.project_id!}`;
  const mailbox = async () => {
    await service.control.sql('delete from mailboxes where project_id = $1 and id <> $2', [params.project_id, idOf()]);
    await service.control.sql(
      `insert into mailboxes (id, org_id, project_id, slug, is_default_outbound)
       select $2, org_id, id, 'hello-there', true from projects where id = $1
       on conflict (id) do update set deleted_at = null, status = 'active', is_default_outbound = true`,
      [params.project_id, idOf()],
    );
    return { mailbox_id: idOf() };
  };
  /** With a mail that it has sent, and nothing counted. */
  const message = async () => {
    const found = await mailbox();
    await service.control.sql('delete from mailbox_messages where mailbox_id = $1', [idOf()]);
    await service.control.sql(
      `insert into mailbox_messages (id, org_id, project_id, mailbox_id, direction, from_address, recipient, subject, body_text,
         mail_message_id, status)
       select $2, org_id, id, $3, 'outbound', 'hello-there@here.test', 'ada@example.com', 'Hello', 'Hello', 'one@here.test',
         'sent' from projects where id = $1`,
      [params.project_id, `msg_of_${params.project_id!}`, idOf()],
    );
    await service.control.sql(`delete from daily_counts where resource = 'emails_per_day'`);
    return { ...found, mail_id: `msg_of_${params.project_id!}` };
  };
  /** With a mail that came in, and its bytes. */
  const answer = async () => {
    const found = await mailbox();
    await holdHello(stage);
    await service.control.sql(
      `insert into mailbox_messages (id, org_id, project_id, mailbox_id, direction, from_address, recipient, subject, body_text,
         mail_message_id, status, raw_sha256, raw_size)
       select $2, org_id, id, $3, 'inbound', 'ada@example.com', 'hello-there@here.test', 'Hello', 'Hello', 'two@here.test',
         'received', $4, 5 from projects where id = $1 on conflict (id) do nothing`,
      [params.project_id, `msg_to_${params.project_id!}`, idOf(), helloSha256],
    );
    return { ...found, mail_id: `msg_to_${params.project_id!}` };
  };
  const none = async () => {
    await service.control.sql('delete from mailboxes where project_id = $1', [params.project_id]);
    return undefined;
  };
  const project = () => `?project_id=${params.project_id}`;
  const inBody = (more: object) => () => ({ project_id: params.project_id, ...more });
  const ofMailbox = (action: string) => ({
    action,
    kind: 'mailbox',
    objectId: 'mailbox_id',
    written: 'select xmin::text from mailboxes where id = $1',
  });
  const change = 'A + + F N + A F';
  const read = 'A + + + N + A F';
  const target = () => `project: "${params.project_id}", mailbox: "${idOf()}"`;
  return {
    'GET /mailboxes/v1': {
      cells: read,
      prepare: mailbox,
      search: project,
      field: () => `{ project(id: "${params.project_id}") { mailboxes { mailboxes { mailboxId } } } }`,
    },
    'POST /mailboxes/v1': {
      cells: change,
      prepare: none,
      body: inBody({ slug: 'hello-there' }),
      audited: ofMailbox('mailbox.created'),
      field: () =>
        `mutation { createMailbox(input: { project: "${params.project_id}", slug: "hello-there" }) { mailboxId } }`,
    },
    'PATCH /mailboxes/v1/settings': {
      cells: change,
      prepare: mailbox,
      body: inBody({ auth_sender_mailbox_id: 'hello-there' }),
      audited: {
        action: 'mailbox.defaults_set',
        kind: 'project',
        objectId: 'project_id',
        written: 'select xmin::text from mailboxes where project_id = $1',
      },
      field: () =>
        `mutation { setMailboxDefaults(input: { project: "${params.project_id}", authSenderMailboxId: "hello-there" }) {
          defaultOutboundMailboxId } }`,
    },
    'GET /mailboxes/v1/:mailbox_id': {
      cells: read,
      prepare: mailbox,
      search: project,
      field: () => `{ mailbox(${target()}) { mailboxId } }`,
    },
    'PATCH /mailboxes/v1/:mailbox_id': {
      cells: change,
      prepare: mailbox,
      body: inBody({ footer_policy: 'svc_transparency' }),
      audited: ofMailbox('mailbox.updated'),
      field: () => `mutation { updateMailbox(input: { ${target()}, footerPolicy: SVC_TRANSPARENCY }) { mailboxId } }`,
    },
    'DELETE /mailboxes/v1/:mailbox_id': {
      cells: change,
      prepare: mailbox,
      search: project,
      audited: ofMailbox('mailbox.deleted'),
      field: () => `mutation { deleteMailbox(input: { ${target()} }) { mailboxId } }`,
    },
    'GET /mailboxes/v1/:mailbox_id/messages': {
      cells: read,
      prepare: message,
      search: project,
      field: () =>
        `{ project(id: "${params.project_id}") { mail(mailbox: "${idOf()}") { edges { node { messageId } } } } }`,
    },
    'POST /mailboxes/v1/:mailbox_id/messages': {
      cells: change,
      prepare: message,
      body: inBody({ to: 'ada@example.com', subject: 'Hello', html: '<p>Hello</p>' }),
      audited: {
        action: 'mail.queued',
        kind: 'mailbox_message',
        objectId: 'message_id',
        written: 'select xmin::text from mailbox_messages where id = $1',
      },
      field: () =>
        `mutation { sendMail(input: { ${target()}, to: "ada@example.com", subject: "Hello", html: "<p>Hello</p>" }) {
          messageId } }`,
    },
    'GET /mailboxes/v1/:mailbox_id/messages/:mail_id': {
      cells: read,
      prepare: message,
      search: project,
      field: () => `{ mailboxMessage(${target()}, message: "msg_of_${params.project_id}") { messageId } }`,
    },
    'GET /mailboxes/v1/:mailbox_id/messages/:mail_id/raw': {
      cells: read,
      prepare: answer,
      search: project,
      field: () => `{ rawMail(${target()}, message: "msg_to_${params.project_id}") { sha256 } }`,
    },
  };
};
