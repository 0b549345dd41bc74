import { dollars } from '../../design/amounts.ts';
import { Facts } from '../../design/facts.tsx';
import { Loaded } from '../../design/loaded.tsx';
import { Pager, usePages } from '../../design/pager.tsx';
import { Section } from '../../design/section.tsx';
import { Table } from '../../design/table.tsx';
import { When } from '../../design/when.tsx';
import { useAsk } from '../../graph/use-live-query.ts';
import { BalanceDocument } from './usage.graphql.ts';

interface BalanceProps {
  readonly org: string;
  /** Whether this gateway sells tiers. Otherwise an empty balance is not shown. */
  readonly isSold: boolean;
}

const inWords = (kind: string) => kind.replaceAll('_', ' ');

/** The prepaid balance of an organization and what moved it. */
export function Balance({ org, isSold }: BalanceProps) {
  const pages = usePages();
  const answer = useAsk(BalanceDocument, { org, after: pages.after });
  const billing = answer.data?.organization?.billing;
  const isEmpty = billing != null && billing.availableUsdMicros === 0 && (billing.history?.edges.length ?? 0) === 0;
  if (isEmpty && !isSold && pages.after === undefined) return null;
  return (
    <Section title="Balance" about="Tiers and slugs are paid from the prepaid balance.">
      <Loaded answer={answer}>
        {({ organization }) => {
          const found = organization?.billing;
          if (found == null) return null;
          return (
            <>
              <Facts
                facts={[
                  ['Available', <strong key="available">{dollars(found.availableUsdMicros)}</strong>],
                  ['Held', found.heldUsdMicros === 0 ? undefined : dollars(found.heldUsdMicros)],
                ]}
              />
              {found.history !== null && (
                <>
                  <Table
                    label="History of the balance"
                    rows={found.history.edges.map(({ node }) => node)}
                    keyOf={({ entryId }) => entryId}
                    columns={[
                      { id: 'what', name: 'Entry', grows: true, cell: ({ kind }) => inWords(kind) },
                      {
                        id: 'for',
                        name: 'Reference',
                        cell: ({ referenceType, referenceId }) =>
                          referenceType === null ? (
                            <span className="quiet">–</span>
                          ) : (
                            <span title={referenceId ?? undefined}>{inWords(referenceType)}</span>
                          ),
                      },
                      {
                        id: 'amount',
                        name: 'Amount',
                        align: 'end',
                        cell: ({ direction, amountUsdMicros }) =>
                          direction === 'CREDIT' ? (
                            <span className="amount-in">+{dollars(amountUsdMicros)}</span>
                          ) : (
                            `−${dollars(amountUsdMicros)}`
                          ),
                      },
                      {
                        id: 'after',
                        name: 'Balance after',
                        align: 'end',
                        cell: ({ availableAfterUsdMicros }) => dollars(availableAfterUsdMicros),
                      },
                      { id: 'at', name: 'Time', cell: ({ createdAt }) => <When at={createdAt} /> },
                    ]}
                    empty={<p className="quiet">Nothing moved the balance yet.</p>}
                  />
                  <Pager pages={pages} info={found.history.pageInfo} list="the history" />
                </>
              )}
            </>
          );
        }}
      </Loaded>
    </Section>
  );
}
