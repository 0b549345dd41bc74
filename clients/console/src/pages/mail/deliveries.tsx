import { Plus, RotateCw, Send, Trash2, Webhook } from 'lucide-react';
import { useState } from 'react';
import { enumName, StateBadge } from '../../design/badge.tsx';
import { Button, IconButton } from '../../design/button.tsx';
import { Confirm } from '../../design/confirm.tsx';
import { Select } from '../../design/field.tsx';
import { Loaded } from '../../design/loaded.tsx';
import { Pager, usePages } from '../../design/pager.tsx';
import { Section } from '../../design/section.tsx';
import { State } from '../../design/status.tsx';
import { Table } from '../../design/table.tsx';
import { announce } from '../../design/toast.tsx';
import { Tooltip } from '../../design/tooltip.tsx';
import { When } from '../../design/when.tsx';
import { useChange } from '../../graph/use-change.ts';
import { useAsk } from '../../graph/use-live-query.ts';
import { useWhileVisible } from '../../graph/use-while-visible.ts';
import { useSearch } from '../../search.ts';
import {
  DeleteMailboxWebhookDocument,
  MailboxWebhooksDocument,
  type MailboxWebhooksQuery,
  RedriveWebhookDeliveryDocument,
} from './mail.graphql.ts';
import { RegisterWebhook } from './register-webhook.tsx';

type Asked = NonNullable<MailboxWebhooksQuery['project']>;
type Hook = NonNullable<Asked['mailboxWebhooks']>[number];
type Delivery = NonNullable<Asked['mailboxWebhookDeliveries']>['edges'][number]['node'];

/** How often the list is read again, in milliseconds: no feed tells of deliveries. */
const everyMs = 5_000;

const states = [
  { id: 'all', name: 'All' },
  { id: 'PENDING', name: 'Pending' },
  { id: 'IN_FLIGHT', name: 'In flight' },
  { id: 'DELIVERED', name: 'Delivered' },
  { id: 'FAILED_PERMANENT', name: 'Given up' },
] as const;

interface DeliveriesProps {
  readonly project: string;
  readonly mailbox: string;
  readonly mayWrite: boolean;
}

/** Webhooks of a mailbox, and what they were told. */
export function Deliveries({ project, mailbox, mayWrite }: DeliveriesProps) {
  const [state, setState] = useSearch('state', 'all');
  const [dialog, setDialog] = useSearch('dialog', '');
  const status = states.find(({ id }) => id === state && id !== 'all')?.id as Delivery['status'] | undefined;
  const pages = usePages(`${mailbox} ${state}`);
  const answer = useAsk(MailboxWebhooksDocument, { project, mailbox, status: status ?? null, after: pages.after });
  useWhileVisible(everyMs, answer.again);
  return (
    <Loaded answer={answer}>
      {({ project: found }) => {
        const hooks = found?.mailboxWebhooks ?? [];
        const deliveries = found?.mailboxWebhookDeliveries;
        return (
          <>
            <Section
              title="Webhooks"
              actions={
                mayWrite && (
                  <Button icon={Plus} onPress={() => setDialog('webhook')}>
                    Register webhook
                  </Button>
                )
              }
            >
              <Hooks project={project} mailbox={mailbox} hooks={hooks} mayWrite={mayWrite} />
            </Section>
            <Section
              title="Deliveries"
              about="Of the last 30 days, newest first."
              actions={<Select label="Status" options={[...states]} value={status ?? 'all'} onChange={setState} />}
            >
              <DeliveryTable
                project={project}
                mailbox={mailbox}
                rows={deliveries?.edges.map(({ node }) => node) ?? []}
                hooks={hooks}
                mayWrite={mayWrite}
              />
              <Pager pages={pages} info={deliveries?.pageInfo} list="deliveries" />
            </Section>
            {dialog === 'webhook' && mayWrite && (
              <RegisterWebhook project={project} mailbox={mailbox} close={() => setDialog('', { replace: true })} />
            )}
          </>
        );
      }}
    </Loaded>
  );
}

function Hooks({ project, mailbox, hooks, mayWrite }: DeliveriesProps & { readonly hooks: readonly Hook[] }) {
  const remove = useChange(DeleteMailboxWebhookDocument);
  const [asked, setAsked] = useState<Hook>();
  return (
    <>
      <Table
        label="Webhooks"
        rows={hooks}
        keyOf={({ webhookId }) => webhookId}
        columns={[
          { id: 'url', name: 'Address', grows: true, cell: ({ url }) => <code>{url}</code> },
          { id: 'events', name: 'Told of', wraps: true, cell: ({ events }) => events.map(enumName).join(', ') },
          { id: 'made', name: 'Created', isExtra: true, cell: ({ createdAt }) => <When at={createdAt} /> },
          ...(mayWrite
            ? [
                {
                  id: 'actions',
                  name: 'Actions',
                  isNameHidden: true,
                  align: 'end' as const,
                  cell: (hook: Hook) => (
                    <Tooltip text="Delete">
                      <IconButton small icon={Trash2} label={`Delete ${hook.url}`} onPress={() => setAsked(hook)} />
                    </Tooltip>
                  ),
                },
              ]
            : []),
        ]}
        empty={
          <State icon={Webhook} title="No webhooks">
            A webhook is told of answers, and of mail that came back.
          </State>
        }
      />
      {asked !== undefined && (
        <Confirm
          title="Delete this webhook?"
          isOpen
          close={() => setAsked(undefined)}
          act="Delete webhook"
          error={remove.error}
          run={async () => {
            const done = await remove.run({ project, mailbox, webhook: asked.webhookId });
            if (done !== undefined) announce('The webhook is deleted.');
            return done !== undefined;
          }}
        >
          What still waits for {asked.url} is not sent.
        </Confirm>
      )}
    </>
  );
}

interface DeliveryTableProps extends DeliveriesProps {
  readonly rows: readonly Delivery[];
  readonly hooks: readonly Hook[];
}

function DeliveryTable({ project, mailbox, rows, hooks, mayWrite }: DeliveryTableProps) {
  const redrive = useChange(RedriveWebhookDeliveryDocument);
  return (
    <Table
      label="Deliveries, newest first"
      rows={rows}
      keyOf={({ deliveryId }) => deliveryId}
      columns={[
        { id: 'event', name: 'Event', cell: ({ eventType }) => enumName(eventType) },
        {
          id: 'status',
          name: 'Status',
          cell: ({ status }) => <StateBadge value={status} />,
        },
        { id: 'attempts', name: 'Attempts', align: 'end', cell: ({ attempts }) => attempts },
        {
          id: 'outcome',
          name: 'Outcome',
          grows: true,
          cell: ({ lastStatus, lastError, webhookId }) =>
            lastError ??
            (lastStatus === null
              ? (hooks.find((hook) => hook.webhookId === webhookId)?.url ?? '')
              : `The answer was ${lastStatus}.`),
        },
        {
          id: 'at',
          name: 'When',
          cell: ({ createdAt, nextAttemptAt }) => (
            <>
              <When at={createdAt} />
              {nextAttemptAt !== null && (
                <span className="quiet small">
                  {' '}
                  next <When at={nextAttemptAt} />
                </span>
              )}
            </>
          ),
        },
        ...(mayWrite
          ? [
              {
                id: 'actions',
                name: 'Actions',
                isNameHidden: true,
                align: 'end' as const,
                cell: ({ deliveryId, status, webhookId }: Delivery) =>
                  status === 'FAILED_PERMANENT' &&
                  webhookId !== null && (
                    <Button
                      small
                      variant="quiet"
                      icon={RotateCw}
                      onPress={async () => {
                        const done = await redrive.run({ project, mailbox, delivery: deliveryId });
                        announce(done === undefined ? 'It could not be sent again.' : 'It is sent again.');
                      }}
                    >
                      Send again
                    </Button>
                  ),
              },
            ]
          : []),
      ]}
      empty={
        <State icon={Send} title="No deliveries here">
          What webhooks are told is listed here.
        </State>
      }
    />
  );
}
