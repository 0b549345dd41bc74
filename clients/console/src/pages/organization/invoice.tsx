import encodeQR from 'qr';
import { useEffect, useMemo } from 'react';
import { useQuery } from 'urql';
import { dollars } from '../../design/amounts.ts';
import { CodeBlock } from '../../design/code.tsx';
import { When } from '../../design/when.tsx';
import { somethingChanged } from '../../graph/changes.ts';
import { useWhileVisible } from '../../graph/use-while-visible.ts';
import { type BeginCheckoutMutation, TopupDocument } from './money.graphql.ts';

export type Invoiced = NonNullable<BeginCheckoutMutation['createCheckout']>;

interface InvoiceProps {
  readonly orgId: string;
  readonly invoice: Invoiced;
}

/** How often the gateway is asked whether an invoice is paid, in milliseconds. */
const everyMs = 2_000;

/** An invoice to be scanned or copied. It says when it is paid. */
export function Invoice({ orgId, invoice }: InvoiceProps) {
  const { topupId, bolt11, amountSats, amountUsdMicros, invoiceExpiresAt } = invoice;
  const [{ data }, ask] = useQuery({ query: TopupDocument, variables: { org: orgId, topup: topupId } });
  const status = data?.checkout?.status ?? 'PENDING';
  const isPaid = status === 'PAID' || status === 'PAID_LATE';
  // A payment may come for an hour after the end.
  useWhileVisible(isPaid || status === 'FAILED' ? undefined : everyMs, () => ask({ requestPolicy: 'network-only' }));
  useEffect(() => {
    if (isPaid) somethingChanged();
  }, [isPaid]);
  const picture = useMemo(
    () => (bolt11 === null ? undefined : encodeQR(bolt11.toUpperCase(), 'data-url', { scale: 4, border: 4 })),
    [bolt11],
  );
  if (isPaid) return <p role="status">Paid: {dollars(amountUsdMicros)} are credited.</p>;
  return (
    <section aria-label="Invoice">
      <p role="status">
        {status === 'EXPIRED'
          ? 'The invoice has ended. '
          : `Pay ${amountSats} sats, and ${dollars(amountUsdMicros)} are credited. `}
        {invoiceExpiresAt !== null && status !== 'EXPIRED' && (
          <>
            It ends <When at={invoiceExpiresAt} />.
          </>
        )}
      </p>
      {picture !== undefined && <img src={picture} alt="The invoice as a QR code" />}
      {bolt11 !== null && <CodeBlock title="Invoice" code={bolt11} />}
    </section>
  );
}
