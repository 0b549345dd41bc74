import { useState } from 'react';
import { count, dollars } from '../../design/amounts.ts';
import { Button } from '../../design/button.tsx';
import { ErrorNote } from '../../design/error-note.tsx';
import { Facts } from '../../design/facts.tsx';
import { Switch } from '../../design/field.tsx';
import { Form } from '../../design/form.tsx';
import { Loaded } from '../../design/loaded.tsx';
import { Note } from '../../design/note.tsx';
import { NumberField } from '../../design/number-field.tsx';
import { Section } from '../../design/section.tsx';
import { announce } from '../../design/toast.tsx';
import { useChange } from '../../graph/use-change.ts';
import { useAsk } from '../../graph/use-live-query.ts';
import { may } from '../../session/may.ts';
import { BeginCheckoutDocument, MoneyDocument, type MoneyQuery, SetAutoRechargeDocument } from './money.graphql.ts';
import type { OrganizationProps } from './parts.ts';

type Money = NonNullable<NonNullable<MoneyQuery['organization']>['billing']>;

/** What is owed, the mail credits of an organization, and whether they are bought by themselves. */
export function MailCredits({ organization: { orgId, role } }: OrganizationProps) {
  const answer = useAsk(MoneyDocument, { org: orgId });
  return (
    <Section title="Mail credits" about="A pack of 10,000 mails costs $5.00 and never expires.">
      <Loaded answer={answer}>
        {({ organization }) => {
          const money = organization?.billing;
          if (money == null) return null;
          return (
            <>
              {money.owedUsdMicros > 0 && (
                <Note mood="warn" title={`${dollars(money.owedUsdMicros)} are owed.`}>
                  A payment went back to its payer after it was spent. The next money that comes pays it first.
                </Note>
              )}
              <Facts
                facts={[
                  ['Credits', count(money.emailCredits)],
                  ['Saved card', money.autoRecharge.card ?? 'None'],
                ]}
              />
              {may(role, 'org:checkout:create') && <BuyPack orgId={orgId} />}
              {may(role, 'org:auto_recharge:write') && (
                <Recharge key={String(money.autoRecharge.enabled)} orgId={orgId} {...money.autoRecharge} />
              )}
            </>
          );
        }}
      </Loaded>
    </Section>
  );
}

function BuyPack({ orgId }: { readonly orgId: string }) {
  const begin = useChange(BeginCheckoutDocument);
  const buy = async () => {
    const done = await begin.run({ org: orgId, product: 'EMAIL_PACK', saveCard: true });
    const page = done?.createCheckout?.paymentUrl;
    if (page != null) location.assign(page);
  };
  return (
    <>
      <p>
        <Button isPending={begin.busy} onPress={() => void buy()}>
          Buy a pack by card
        </Button>{' '}
        <span className="quiet small">The card is kept for auto-recharge.</span>
      </p>
      {begin.error !== undefined && <ErrorNote error={begin.error} />}
    </>
  );
}

function Recharge({ orgId, enabled, threshold, stoppedBecause }: Money['autoRecharge'] & { readonly orgId: string }) {
  const set = useChange(SetAutoRechargeDocument);
  const [isOn, setOn] = useState(enabled);
  const [below, setBelow] = useState(threshold ?? 2_000);
  return (
    <Form
      label="Auto-recharge"
      submit="Save"
      variant="secondary"
      error={set.error}
      labels={{ threshold: 'Below' }}
      send={async () => {
        const done = await set.run({ org: orgId, enabled: isOn, threshold: below });
        if (done !== undefined)
          announce(isOn ? 'Packs are bought by themselves.' : 'No packs are bought by themselves.');
        return false;
      }}
    >
      {stoppedBecause !== null && <p role="status">It was turned off: {stoppedBecause}</p>}
      <Switch isSelected={isOn} onChange={setOn}>
        Buy a pack when credits run low
      </Switch>
      <NumberField
        label="Below"
        hint="Credits, 0 to 10,000. From the balance where that covers it, else with the saved card."
        value={below}
        onChange={setBelow}
        minValue={0}
        maxValue={10_000}
      />
    </Form>
  );
}
