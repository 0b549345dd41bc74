import type { Stage, Surfaces } from './surface.ts';

export const mailboxWebhookSurfaces = ({ params, service }: Stage): Surfaces => {
  const idOf = (prefix: string) => `${prefix}_of_${params.project_id!}`;
  /** A webhook of a mailbox of this project's, with a delivery that was given up; the same each time. */
  const webhook = async () => {
    const { sql } = service.control;
    const ids = [params.project_id, idOf('mbx'), idOf('whk'), idOf('whd')];
    await sql(
      `insert into mailboxes (id, org_id, project_id, slug, is_default_outbound)
       select $2, org_id, id, 'hello-there', true from projects where id = $1
       on conflict (id) do update set deleted_at = null, status = 'active'`,
      ids.slice(0, 2),
    );
    await sql('delete from mailbox_webhooks where mailbox_id = $1', [idOf('mbx')]);
    await sql('delete from mailbox_webhook_deliveries where mailbox_id = $1', [idOf('mbx')]);
    await sql(
      `insert into mailbox_webhooks (id, org_id, project_id, mailbox_id, url, events)
       select $3, org_id, id, $2, 'https://webhooks.invalid/', '{bounced}' from projects where id = $1`,
      ids.slice(0, 3),
    );
    await sql(
      `insert into mailbox_webhook_deliveries (id, org_id, project_id, mailbox_id, webhook_id, event_type, idempotency_key, payload,
         status, due_at)
       select $4, org_id, id, $2, $3, 'bounced', $4, '{}', 'failed_permanent', null from projects where id = $1`,
      ids,
    );
    return { mailbox_id: idOf('mbx'), webhook_id: idOf('whk'), delivery_id: idOf('whd') };
  };
  const search = () => `?project_id=${params.project_id}`;
  const inBody = (more: object) => () => ({ project_id: params.project_id, ...more });
  const change = 'A + + F N + A F';
  const read = 'A + + + N + A F';
  const target = () => `project: "${params.project_id}", mailbox: "${idOf('mbx')}"`;
  const one = '/mailboxes/v1/:mailbox_id/webhooks';
  const audited = (action: string) => ({
    action,
    kind: 'mailbox_webhook',
    objectId: 'webhook_id',
    written: 'select xmin::text from mailbox_webhooks where id = $1',
  });
  return {
    [`GET ${one}`]: {
      cells: read,
      prepare: webhook,
      search,
      field: () =>
        `{ project(id: "${params.project_id}") { mailboxWebhooks(mailbox: "${idOf('mbx')}") { webhookId } } }`,
    },
    [`POST ${one}`]: {
      cells: change,
      prepare: webhook,
      body: inBody({ url: 'https://webhooks.invalid/', events: ['bounced'] }),
      audited: audited('mailbox.webhook_registered'),
      field: () =>
        `mutation { registerMailboxWebhook(input: { ${target()}, url: "https://webhooks.invalid/", events: [BOUNCED] }) {
          webhookId } }`,
    },
    [`GET ${one}/deliveries`]: {
      cells: read,
      prepare: webhook,
      search,
      field: () =>
        `{ project(id: "${params.project_id}") { mailboxWebhookDeliveries(mailbox: "${idOf('mbx')}") { edges { node {
          deliveryId } } } } }`,
    },
    [`POST ${one}/deliveries/:delivery_id/redrive`]: {
      cells: change,
      prepare: webhook,
      body: inBody({}),
      audited: {
        action: 'mailbox.webhook_redriven',
        kind: 'webhook_delivery',
        objectId: 'delivery.delivery_id',
        // A node takes the delivery at once. The lock on the project's row is of this change alone.
        written: `select p.xmax::text as xmin from projects p join mailbox_webhook_deliveries d on d.project_id = p.id
          where d.id = $1`,
      },
      field: () =>
        `mutation { redriveMailboxWebhookDelivery(input: { ${target()}, delivery: "${idOf('whd')}" }) { deliveryId } }`,
    },
    [`GET ${one}/:webhook_id`]: {
      cells: read,
      prepare: webhook,
      search,
      field: () => `{ mailboxWebhook(${target()}, webhook: "${idOf('whk')}") { webhookId } }`,
    },
    [`PATCH ${one}/:webhook_id`]: {
      cells: change,
      prepare: webhook,
      body: inBody({ events: ['delivery'] }),
      audited: audited('mailbox.webhook_updated'),
      field: () =>
        `mutation { updateMailboxWebhook(input: { ${target()}, webhook: "${idOf('whk')}", events: [DELIVERY] }) {
          webhookId } }`,
    },
    [`DELETE ${one}/:webhook_id`]: {
      cells: change,
      prepare: webhook,
      search,
      audited: {
        ...audited('mailbox.webhook_deleted'),
        // The row itself is gone; what it was told is ended in the same transaction.
        written: `select xmin::text from mailbox_webhook_deliveries where id = replace($1, 'whk_', 'whd_')`,
      },
      field: () => `mutation { deleteMailboxWebhook(input: { ${target()}, webhook: "${idOf('whk')}" }) { webhookId } }`,
    },
  };
};
