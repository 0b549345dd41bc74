import { useState } from 'react';
import { dollars } from '../../design/amounts.ts';
import { Select } from '../../design/field.tsx';
import { Form } from '../../design/form.tsx';
import { Modal } from '../../design/modal.tsx';
import { announce } from '../../design/toast.tsx';
import { useChange } from '../../graph/use-change.ts';
import { HowToPay } from './how-to-pay.tsx';
import { type Offer, type PlanProps, tierName } from './offers.ts';
import type { Organization } from './parts.ts';
import { SetTierDocument, type Tier } from './usage.graphql.ts';

/** The dialog that puts an organization on another tier, and says what that costs and how it is paid. */
export function ChangeTier({ organization, offers, active, close }: PlanProps & { readonly close: () => void }) {
  const set = useChange(SetTierDocument);
  const { orgId, tier: current } = organization;
  const [picked, setPicked] = useState<Tier>(current);
  const offer = offers.find(({ tier }) => tier === picked)!;
  const isSold = offers.some(({ leaseDays }) => leaseDays !== null);
  const rank = (name: Tier) => offers.findIndex(({ tier }) => tier === name);
  const waits = isSold && active && rank(picked) < rank(current);
  const unpaid = set.error?.code === 'PAYMENT_REQUIRED' ? set.error : undefined;
  const isSame = picked === current && (!isSold || organization.leasePerpetual);
  return (
    <Modal title="Change tier" isOpen close={close} kind="alert">
      <Form
        label="Tier"
        submit={offer.priceUsdMicros > 0 ? `Pay ${dollars(offer.priceUsdMicros)}` : 'Set tier'}
        cancel={close}
        isDisabled={waits || isSame}
        error={unpaid === undefined ? set.error : undefined}
        send={async () => {
          const done = await set.run({ org: orgId, tier: picked });
          if (done === undefined) return false;
          announce(`The organization is on the ${picked.toLowerCase()} tier.`);
          close();
          return false;
        }}
      >
        <Select
          label="Tier"
          options={offers.map(({ tier }) => ({ id: tier, name: tierName(tier) }))}
          value={picked}
          onChange={(id) => setPicked(id as Tier)}
        />
        <p role="status">
          {waits ? 'A lower tier can be chosen once the lease has ended.' : effectOf(organization, offer, active)}
        </p>
        {unpaid !== undefined && <HowToPay orgId={orgId} refusal={unpaid} />}
      </Form>
    </Modal>
  );
}

/** What the button does and costs. */
function effectOf({ tier, leasePerpetual }: Organization, offer: Offer, active: boolean): string {
  const { leaseDays, priceUsdMicros } = offer;
  if (leaseDays === null)
    return offer.tier === tier
      ? 'This is the current tier.'
      : 'Tiers are free on this gateway and can be changed at any time. A tier sets the limits.';
  if (offer.tier === tier && leasePerpetual) return 'The organization has this tier for good. Nothing is paid.';
  const paid =
    priceUsdMicros === 0 ? 'It is free.' : `${dollars(priceUsdMicros)} are taken from the organization’s balance.`;
  if (!active) return `A lease of ${leaseDays} days begins now. ${paid}`;
  if (offer.tier === tier) return `The lease is renewed by ${leaseDays} days from its end. ${paid}`;
  return `A lease of ${leaseDays} days begins now. ${paid} The unused part of the current lease is credited.`;
}
