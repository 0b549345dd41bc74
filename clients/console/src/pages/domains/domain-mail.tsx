import { Mail, Send } from 'lucide-react';
import { Badge } from '../../design/badge.tsx';
import { Button } from '../../design/button.tsx';
import { ErrorNote } from '../../design/error-note.tsx';
import { Facts } from '../../design/facts.tsx';
import { Section } from '../../design/section.tsx';
import { Table } from '../../design/table.tsx';
import { announce } from '../../design/toast.tsx';
import { When } from '../../design/when.tsx';
import { useChange } from '../../graph/use-change.ts';
import { useSearch } from '../../search.ts';
import { StandingBadge } from './domain-status.tsx';
import { type Domain, effectiveMail, type MailAddress, wantedMail } from './domain-types.ts';
import { ActivateDomainDocument, TestDomainReceiveDocument } from './domains.graphql.ts';
import { MailForm, strategies } from './mail-form.tsx';

interface DomainMailProps {
  readonly project: string;
  readonly domain: Domain;
  readonly mayWrite: boolean;
  readonly again: () => void;
}

/** Mail below a domain: what goes out and comes in, by which addresses. */
export function DomainMail({ project, domain, mayWrite, again }: DomainMailProps) {
  const [dialog, setDialog] = useSearch('dialog', '');
  const activate = useChange(ActivateDomainDocument);
  const wanted = wantedMail(domain);
  const waits = domain.checks.some(({ reasonCode }) => reasonCode === 'activation_manual');
  return (
    <Section
      title="Mail"
      about="Mailboxes of the project write from addresses of the domain, and receive by them."
      actions={
        mayWrite && (
          <>
            {waits && (
              <Button
                variant="primary"
                isPending={activate.busy}
                onPress={async () => {
                  if ((await activate.run({ project, domain: domain.domain })) === undefined) return;
                  announce('The addresses are active.');
                  again();
                }}
              >
                Activate addresses
              </Button>
            )}
            <Button icon={Mail} onPress={() => setDialog('mail')}>
              {wanted === undefined ? 'Set up mail' : 'Change mail'}
            </Button>
          </>
        )
      }
    >
      <ErrorNote error={activate.error} />
      {wanted === undefined ? (
        <p className="quiet">No mail goes out or comes in below this domain.</p>
      ) : (
        <Standing project={project} domain={domain} mayWrite={mayWrite} again={again} />
      )}
      {dialog === 'mail' && mayWrite && (
        <MailForm
          project={project}
          domain={domain}
          close={(isChanged) => {
            setDialog('', { replace: true });
            if (isChanged) again();
          }}
        />
      )}
    </Section>
  );
}

const OnOff = ({ isOn, isWanted }: { readonly isOn: boolean; readonly isWanted: boolean }) => (
  <Badge mood={isOn ? 'good' : isWanted ? 'warn' : 'plain'}>{isOn ? 'active' : isWanted ? 'not yet' : 'off'}</Badge>
);

function Standing({ project, domain, mayWrite, again }: DomainMailProps) {
  const test = useChange(TestDomainReceiveDocument);
  const wanted = wantedMail(domain)!;
  const { send, receive, mailbox_addresses: addresses = [] } = effectiveMail(domain);
  const strategy = strategies.find(({ id }) => id === receive.strategy?.toUpperCase());
  const run = async ({ address }: MailAddress) => {
    const to = address.slice(0, address.lastIndexOf('@'));
    if ((await test.run({ project, domain: domain.domain, to })) === undefined) return;
    announce(`A mail is on its way to ${address}.`);
    again();
  };
  return (
    <>
      <Facts
        facts={[
          ['Goes out', <OnOff key="out" isOn={send.active} isWanted={wanted.send.enabled} />],
          [
            'Comes in',
            <span key="in" className="domain-standing">
              <OnOff isOn={receive.active} isWanted={wanted.receive.enabled} />
              {strategy !== undefined && <span className="quiet small">{strategy.name}</span>}
            </span>,
          ],
          [
            'Latest test',
            domain.receiveTest === null ? undefined : <LatestTest key="test" test={domain.receiveTest} />,
          ],
        ]}
      />
      <Table
        label="Addresses"
        rows={addresses}
        keyOf={({ address }) => address}
        columns={[
          { id: 'address', name: 'Address', grows: true, cell: ({ address }) => address },
          { id: 'mailbox', name: 'Mailbox', cell: ({ mailbox_slug }) => mailbox_slug },
          { id: 'use', name: 'Used for', cell: ({ primary }) => (primary ? 'Writing and receiving' : 'Receiving') },
          { id: 'status', name: 'Status', cell: ({ active }) => <OnOff isOn={active} isWanted /> },
          ...(mayWrite && wanted.receive.enabled
            ? [
                {
                  id: 'test',
                  name: 'Test',
                  cell: (one: MailAddress) => (
                    <Button small icon={Send} isPending={test.busy} onPress={() => void run(one)}>
                      Send test
                    </Button>
                  ),
                },
              ]
            : []),
        ]}
        empty={<p className="quiet">Addresses show once the domain has proven to be yours.</p>}
      />
      <ErrorNote error={test.error} />
    </>
  );
}

type Test = NonNullable<Domain['receiveTest']>;

const LatestTest = ({ test: { address, targetManagedAddress, status, createdAt, token } }: { readonly test: Test }) => (
  <span>
    <StandingBadge status={status} /> {address}, <When at={createdAt} />
    {status === 'pending' && (
      <span className="quiet small">
        {' '}
        It has to arrive at {targetManagedAddress}. You may send one yourself, with svc-receive-test={token} in it.
      </span>
    )}
  </span>
);
