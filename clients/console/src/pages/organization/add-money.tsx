import { useState } from 'react';
import { Form } from '../../design/form.tsx';
import { NumberField } from '../../design/number-field.tsx';
import { Section } from '../../design/section.tsx';
import { useChange } from '../../graph/use-change.ts';
import { may } from '../../session/may.ts';
import { Invoice, type Invoiced } from './invoice.tsx';
import { BeginCheckoutDocument } from './money.graphql.ts';
import type { OrganizationProps } from './parts.ts';

/** Adds to the prepaid balance: by card on the provider's page, or by a lightning invoice. */
export function AddMoney({ organization: { orgId, role } }: OrganizationProps) {
  return (
    <Section title="Add money" about="It is credited as soon as the payment is there.">
      {may(role, 'org:checkout:create') && <ByCard orgId={orgId} />}
      {may(role, 'org:topup') && <ByLightning orgId={orgId} />}
    </Section>
  );
}

interface OrgProps {
  readonly orgId: string;
}

function ByCard({ orgId }: OrgProps) {
  const begin = useChange(BeginCheckoutDocument);
  const [amount, setAmount] = useState(20);
  return (
    <Form
      label="Add money by card"
      submit="Pay by card"
      variant="secondary"
      error={begin.error}
      labels={{ amountUsdMicros: 'Amount' }}
      send={async () => {
        const micros = Math.round(amount * 100) * 10_000;
        const done = await begin.run({ org: orgId, product: 'BALANCE_TOPUP', amountUsdMicros: micros });
        const page = done?.createCheckout?.paymentUrl;
        if (page != null) location.assign(page);
        return false;
      }}
    >
      <NumberField
        label="Amount"
        hint="US dollars, at least 0.50."
        value={amount}
        onChange={setAmount}
        minValue={0.5}
        step={0.01}
        isRequired
      />
    </Form>
  );
}

function ByLightning({ orgId }: OrgProps) {
  const begin = useChange(BeginCheckoutDocument);
  const [sats, setSats] = useState(10_000);
  const [invoice, setInvoice] = useState<Invoiced>();
  return (
    <>
      <Form
        label="Add money by lightning"
        submit="Make an invoice"
        variant="secondary"
        error={begin.error}
        labels={{ amountSats: 'Sats' }}
        send={async () => {
          const done = await begin.run({ org: orgId, product: 'BALANCE_TOPUP', rail: 'LIGHTNING', amountSats: sats });
          if (done?.createCheckout != null) setInvoice(done.createCheckout);
          return false;
        }}
      >
        <NumberField
          label="Sats"
          hint="100 to 1,000,000. The value in dollars is fixed when the invoice is made."
          value={sats}
          onChange={setSats}
          minValue={100}
          maxValue={1_000_000}
          isRequired
        />
      </Form>
      {invoice !== undefined && <Invoice key={invoice.topupId} orgId={orgId} invoice={invoice} />}
    </>
  );
}
