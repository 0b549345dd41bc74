import { ArrowRightLeft } from 'lucide-react';
import { Loaded } from '../../design/loaded.tsx';
import { Page } from '../../design/page.tsx';
import { Section } from '../../design/section.tsx';
import { State } from '../../design/status.tsx';
import { Table } from '../../design/table.tsx';
import { Wallet } from '../../design/wallet.tsx';
import { When } from '../../design/when.tsx';
import { useAsk } from '../../graph/use-live-query.ts';
import { TransfersDocument, type TransfersQuery } from './transfers.graphql.ts';

type Offers = NonNullable<TransfersQuery['incomingTransfers']>['edges'];

/** Offers of projects that are pending, in both directions. */
export default function Transfers() {
  const answer = useAsk(TransfersDocument, {});
  return (
    <Page title="Transfers" lead="Projects that change hands. An offer stands for 72 hours.">
      <Loaded answer={answer}>
        {({ incomingTransfers: incoming, outgoingTransfers: outgoing }) => (
          <>
            <Section title="Offered to you">
              <OfferTable
                label="Offered to you"
                offers={incoming?.edges ?? []}
                empty="Nobody offers you a project. An offer to your wallet or your mail address appears here."
              />
            </Section>
            <Section title="Offered by you" about="By the organizations that you are a member of.">
              <OfferTable
                label="Offered by you"
                offers={outgoing?.edges ?? []}
                empty="You offer no project. Its settings have “Hand over”."
              />
            </Section>
          </>
        )}
      </Loaded>
    </Page>
  );
}

interface OfferTableProps {
  readonly label: string;
  readonly offers: Offers;
  readonly empty: string;
}

const OfferTable = ({ label, offers, empty }: OfferTableProps) => (
  <Table
    label={label}
    rows={offers.map(({ node }) => node)}
    keyOf={({ transferId }) => transferId}
    linkOf={({ transferId }) => `/transfers/${transferId}`}
    columns={[
      { id: 'project', name: 'Project', grows: true, cell: ({ projectName }) => projectName },
      {
        id: 'to',
        name: 'Recipient',
        cell: (offer) => <Recipient kind={offer.recipientKind} recipient={offer.recipient} />,
      },
      { id: 'until', name: 'Until', cell: ({ expiresAt }) => <When at={expiresAt} /> },
    ]}
    empty={
      <State icon={ArrowRightLeft} title="No offers">
        {empty}
      </State>
    }
  />
);

/** Whom a project is offered to. */
export const Recipient = ({ kind, recipient }: { readonly kind: string; readonly recipient: string }) =>
  kind === 'WALLET' ? <Wallet address={recipient} /> : <span>{recipient}</span>;
