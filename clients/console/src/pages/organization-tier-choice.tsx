import { useState } from 'react';
import { useChange } from '../graph/use-change.ts';
import { useAsk } from '../graph/use-live-query.ts';
import { dollars } from '../parts/dollars.ts';
import { Field } from '../parts/field.tsx';
import { Form, textOf } from '../parts/form.tsx';
import { Loaded } from '../parts/loaded.tsx';
import { bytes } from '../parts/meter.tsx';
import { Outcome } from '../parts/outcome.tsx';
import { SetTierDocument, type Tier, TiersDocument, type TiersQuery } from './organization.graphql.ts';
import type { Organization } from './organization-parts.ts';
import { TierPayment } from './organization-tier-payment.tsx';

type Offer = NonNullable<TiersQuery['tiers']>['edges'][number]['node'];

interface TierChoiceProps {
  readonly organization: Organization;
  /** Whether the lease is valid or perpetual. */
  readonly active: boolean;
}

/** Shows the tiers side by side and lets the user choose one. */
export function TierChoice(props: TierChoiceProps) {
  const answer = useAsk(TiersDocument, {});
  return (
    <Loaded answer={answer}>
      {({ tiers }) => tiers !== null && <Choice {...props} offers={tiers.edges.map(({ node }) => node)} />}
    </Loaded>
  );
}

function Choice({ organization, active, offers }: TierChoiceProps & { readonly offers: readonly Offer[] }) {
  const set = useChange(SetTierDocument);
  const { orgId, tier: current } = organization;
  const [picked, setPicked] = useState<Tier>(current);
  const offer = offers.find(({ tier }) => tier === picked);
  const isSold = offers.some(({ leaseDays }) => leaseDays !== null);
  const rank = (name: Tier) => offers.findIndex(({ tier }) => tier === name);
  const waits = (name: Tier) => isSold && active && rank(name) < rank(current);
  const unpaid = set.error?.code === 'PAYMENT_REQUIRED' ? set.error : undefined;
  return (
    <>
      <OfferTable offers={offers} isSold={isSold} />
      <Form
        label="Tier"
        className="row"
        send={async (values) => {
          await set.run({ org: orgId, tier: textOf(values, 'tier') as Tier });
          return false;
        }}
      >
        <Field label="Tier" hint={hintOf(organization, offer, active)}>
          <select name="tier" value={picked} onChange={({ target }) => setPicked(target.value as Tier)}>
            {offers.map(({ tier }) => (
              <option key={tier} value={tier} disabled={waits(tier)}>
                {tier.toLowerCase()}
                {waits(tier) && ', once the lease has ended'}
              </option>
            ))}
          </select>
        </Field>
        <button type="submit" disabled={set.busy}>
          {offer !== undefined && offer.priceUsdMicros > 0 ? `Pay ${dollars(offer.priceUsdMicros)}` : 'Set tier'}
        </button>
      </Form>
      {unpaid === undefined ? (
        <Outcome change={set} done="The tier is set." />
      ) : (
        <TierPayment orgId={orgId} refusal={unpaid} />
      )}
    </>
  );
}

function OfferTable({ offers, isSold }: { readonly offers: readonly Offer[]; readonly isSold: boolean }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls has to be reached by key.
    <section className="scrolls" tabIndex={0} aria-label="Tiers">
      <table>
        <thead>
          <tr>
            <th scope="col">Tier</th>
            {isSold && <th scope="col">Price</th>}
            <th scope="col">Projects</th>
            <th scope="col">Members</th>
            <th scope="col">Storage</th>
            <th scope="col">Requests</th>
          </tr>
        </thead>
        <tbody>
          {offers.map(
            ({ tier, priceUsdMicros, leaseDays, usageDays, maxProjects, maxMembers, storageMb, apiCalls }) => (
              <tr key={tier}>
                <th scope="row">{tier.toLowerCase()}</th>
                {isSold && (
                  <td>
                    {priceUsdMicros === 0 ? 'free' : dollars(priceUsdMicros)} for {leaseDays} days
                  </td>
                )}
                <td>{maxProjects.toLocaleString()}</td>
                <td>{maxMembers.toLocaleString()}</td>
                <td>{bytes(storageMb * 1_048_576)}</td>
                <td>
                  {apiCalls.toLocaleString()} in {usageDays} days
                </td>
              </tr>
            ),
          )}
        </tbody>
      </table>
    </section>
  );
}

/** Explains what the button does. */
function hintOf({ tier, leasePerpetual }: Organization, offer: Offer | undefined, active: boolean): string {
  if (offer === undefined) return '';
  const { leaseDays, priceUsdMicros } = offer;
  if (leaseDays === null) return 'A tier is a choice of limits here. It costs nothing, and can be changed at any time.';
  if (offer.tier === tier && leasePerpetual) return 'The organization has this tier for good. Nothing is paid.';
  const paid = priceUsdMicros === 0 ? 'It is free.' : 'The price is taken from the balance.';
  if (!active) return `A lease of ${leaseDays} days begins now. ${paid}`;
  if (offer.tier === tier) return `The lease is renewed by ${leaseDays} days from its end. ${paid}`;
  return `A lease of ${leaseDays} days begins now. ${paid} The unused part of the lease before it is credited.`;
}
