import { Inbox, Send } from 'lucide-react';
import { useState } from 'react';
import { StateBadge } from '../../design/badge.tsx';
import { Button } from '../../design/button.tsx';
import { TextField } from '../../design/field.tsx';
import { Form } from '../../design/form.tsx';
import { Loaded } from '../../design/loaded.tsx';
import { Modal } from '../../design/modal.tsx';
import { Pager, usePages } from '../../design/pager.tsx';
import { State } from '../../design/status.tsx';
import { Table, type TableColumn } from '../../design/table.tsx';
import { announce } from '../../design/toast.tsx';
import { Toolbar } from '../../design/toolbar.tsx';
import { When } from '../../design/when.tsx';
import { useChange } from '../../graph/use-change.ts';
import { useAsk } from '../../graph/use-live-query.ts';
import { useEvery } from '../../graph/use-settled.ts';
import { usePageSearch, useSearch } from '../../search.ts';
import { AdminPage } from './admin-page.tsx';
import { chosen, Filter } from './filters.tsx';
import { type Mail, MailPanel } from './mail-panel.tsx';
import { OutboxDocument, TestMailDocument } from './outbox.graphql.ts';

/** Interval at which mails are asked for, in milliseconds: there is no feed of them. */
const askEveryMs = 5_000;

/** Mail of the whole installation, and one of them beside the list. */
export default function Outbox() {
  const [dialog, setDialog] = useSearch('dialog', '');
  return (
    <AdminPage
      title="Outbox"
      lead="Mail of the whole installation: what went out, what waits, and what failed."
      actions={
        <Button variant="primary" icon={Send} onPress={() => setDialog('test')}>
          Send test mail
        </Button>
      }
    >
      <Mails />
      {dialog === 'test' && <TestMailDialog close={() => setDialog('')} />}
    </AdminPage>
  );
}

const states = [
  ['', 'All mail'],
  ['QUEUED', 'Waiting'],
  ['SENT', 'Sent'],
  ['FAILED', 'Failed'],
] as const;

function Mails() {
  const [state, setState] = useSearch('state', '');
  const [open, setOpen] = useSearch('mail', '');
  const here = usePageSearch();
  const pages = usePages(state);
  const answer = useAsk(OutboxDocument, { after: pages.after, state: chosen<'SENT'>(states, state) });
  useEvery(askEveryMs, answer.again);
  const mails = answer.data?.outboxMails?.edges.map(({ node }) => node) ?? [];
  const shown = mails.find(({ mailId }) => mailId === open);
  const linkTo = (mailId: string): string => {
    const params = new URLSearchParams(here);
    params.set('mail', mailId);
    return `/installation/outbox?${params}`;
  };
  return (
    <div className={shown === undefined ? 'with-panel' : 'with-panel open'}>
      <div className="list-column">
        <Toolbar label="Filter mail">
          <Filter label="State" options={states} value={state} onChange={setState} />
        </Toolbar>
        <Loaded answer={answer}>
          {({ outboxMails }) => (
            <>
              <Table
                label="Mails"
                columns={columns}
                rows={mails}
                keyOf={({ id }) => id}
                linkOf={({ mailId }) => linkTo(mailId)}
                empty={
                  <State icon={Inbox} title={state === '' ? 'No mail yet' : 'No mail in this state'}>
                    Invitations, sign-in links and notices show up here by themselves.
                  </State>
                }
              />
              <Pager list="mails" pages={pages} info={outboxMails?.pageInfo} />
            </>
          )}
        </Loaded>
      </div>
      {shown !== undefined && <MailPanel key={shown.id} mail={shown} close={() => setOpen('')} />}
    </div>
  );
}

const columns: readonly TableColumn<Mail>[] = [
  { id: 'subject', name: 'Subject', grows: true, cell: ({ subject }) => <bdi>{subject}</bdi> },
  { id: 'to', name: 'To', cell: ({ recipient }) => recipient },
  {
    id: 'state',
    name: 'State',
    cell: ({ state }) => <StateBadge value={state} />,
  },
  {
    id: 'attempts',
    name: 'Attempts',
    align: 'end',
    cell: ({ attempts }) => (attempts === 0 ? <span className="quiet">0</span> : attempts),
  },
  { id: 'when', name: 'Written', cell: ({ createdAt }) => <When at={createdAt} /> },
];

function TestMailDialog({ close }: { readonly close: () => void }) {
  const [to, setTo] = useState('');
  const change = useChange(TestMailDocument);
  const send = async () => {
    if ((await change.run({ to: to.trim() })) === undefined) return false;
    announce('The mail is queued.', 'The list shows what becomes of it.');
    close();
    return false;
  };
  return (
    <Modal kind="alert" title="Send a test mail" isOpen close={close}>
      <p className="quiet">It shows whether the mail settings work. Without a mail server it waits in the outbox.</p>
      <Form
        label="Test mail"
        submit="Send"
        variant="primary"
        cancel={close}
        isDisabled={to.trim() === ''}
        error={change.error}
        send={send}
      >
        <TextField label="Address" type="email" value={to} onChange={setTo} isRequired />
      </Form>
    </Modal>
  );
}
