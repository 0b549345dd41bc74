import './transfers.css';
import { ArrowRightLeft } from 'lucide-react';
import { useState } from 'react';
import { enumName, StateBadge } from '../../design/badge.tsx';
import { Button } from '../../design/button.tsx';
import { Confirm } from '../../design/confirm.tsx';
import { Facts } from '../../design/facts.tsx';
import { Loaded } from '../../design/loaded.tsx';
import { Note } from '../../design/note.tsx';
import { Page } from '../../design/page.tsx';
import { Section } from '../../design/section.tsx';
import { State } from '../../design/status.tsx';
import { announce } from '../../design/toast.tsx';
import { When } from '../../design/when.tsx';
import { useChange } from '../../graph/use-change.ts';
import { useAsk } from '../../graph/use-live-query.ts';
import { go } from '../../router.tsx';
import { useSearch } from '../../search.ts';
import { mayChange } from '../../session/may.ts';
import { type TakenOver, TakeOver, TookOver } from './take-over.tsx';
import type { Transfer } from './transfer-type.ts';
import { CancelTransferDocument, TransferDocument } from './transfers.graphql.ts';
import { Recipient } from './transfers.tsx';

/** One offer: what it is of, and what its parties may do with it. The address holds the dialog. */
export default function TransferPage({ transfer: id }: { readonly transfer: string }) {
  const [dialog, setDialog] = useSearch('dialog', '');
  const [taken, setTaken] = useState<TakenOver>();
  const cancel = useChange(CancelTransferDocument);
  const answer = useAsk(TransferDocument, { transfer: id });
  const transfer = answer.data?.projectTransfer;
  const isOpen = transfer?.status === 'PENDING' && taken === undefined && mayChange();
  const mayTake = isOpen && transfer.isRecipient === true;
  const mayCancel = isOpen && (mayTake || transfer.isSender === true);
  const close = () => setDialog('', { replace: true });
  return (
    <Page
      title={transfer?.projectName ?? 'Transfer'}
      lead="A project that is offered to somebody, with its data, its releases, its hosts and its secrets."
      crumbs={[['Transfers', '/transfers']]}
      actions={
        <>
          {mayCancel && (
            <Button variant="secondary" onPress={() => setDialog('cancel')}>
              {transfer.isSender === true ? 'Take back' : 'Decline'}
            </Button>
          )}
          {mayTake && (
            <Button variant="primary" onPress={() => setDialog('take')}>
              Take over
            </Button>
          )}
        </>
      }
    >
      {taken !== undefined && <TookOver taken={taken} />}
      <Loaded answer={answer}>
        {({ projectTransfer: found }) =>
          found === null ? (
            <State icon={ArrowRightLeft} title="Transfer not found">
              It is offered to somebody else, or there is none.
            </State>
          ) : (
            <Contents transfer={found} />
          )
        }
      </Loaded>
      {dialog === 'take' && mayTake && <TakeOver transfer={transfer} close={close} took={setTaken} />}
      {mayCancel && (
        <Confirm
          title={transfer.isSender === true ? 'Take the offer back?' : 'Decline the offer?'}
          isOpen={dialog === 'cancel'}
          close={close}
          act={transfer.isSender === true ? 'Take back' : 'Decline'}
          error={cancel.error}
          run={async () => {
            const done = await cancel.run({ transfer: transfer.transferId });
            if (done === undefined) return false;
            announce('The offer is cancelled.');
            go('/transfers');
            return true;
          }}
        >
          The project stays where it is. It can be offered again.
        </Confirm>
      )}
    </Page>
  );
}

function Contents({ transfer }: { readonly transfer: Transfer }) {
  const { contents, message, status, cancellationReason, endedAt } = transfer;
  const { functions, secretNames, customDomains, subdomains, mailboxes, endedCiBindings } = contents;
  return (
    <>
      {message !== null && (
        <Note title="Whoever offers it says">
          <p className="kept-lines">{message}</p>
        </Note>
      )}
      <Section title="The offer">
        <Facts
          facts={[
            ['State', <StateBadge key="state" value={status} />],
            ['Recipient', <Recipient key="to" kind={transfer.recipientKind} recipient={transfer.recipient} />],
            ['Offered', <When key="from" at={transfer.createdAt} />],
            ['Until', <When key="until" at={transfer.expiresAt} />],
            ['Ended', endedAt === null ? undefined : <When key="ended" at={endedAt} />],
            ['Cancelled by', transfer.cancelledBy === null ? undefined : enumName(transfer.cancelledBy)],
            ['Reason', cancellationReason ?? undefined],
            ['Project', <code key="project">{transfer.projectId}</code>],
          ]}
        />
      </Section>
      <Section
        title="What goes with it"
        about="All its data too. The lease, the signers and the repository stay with whoever has them."
      >
        <Facts
          facts={[
            [
              'Functions',
              named(functions.map(({ name, scheduled }) => (scheduled ? `${name} (runs by itself)` : name))),
            ],
            ['Secrets', named(secretNames)],
            ['Own domains', named(customDomains)],
            ['Hosts', named(subdomains)],
            ['Mailboxes', String(mailboxes)],
            ['Bindings of CI that end', named(endedCiBindings)],
          ]}
        />
      </Section>
    </>
  );
}

const named = (names: readonly string[]) => (names.length === 0 ? 'None' : names.join(', '));
