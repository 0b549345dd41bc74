import { useState } from 'react';
import { Button } from '../../design/button.tsx';
import { Confirm } from '../../design/confirm.tsx';
import { Facts } from '../../design/facts.tsx';
import { TextField } from '../../design/field.tsx';
import { Form } from '../../design/form.tsx';
import { Loaded } from '../../design/loaded.tsx';
import { Modal } from '../../design/modal.tsx';
import { Section } from '../../design/section.tsx';
import { announce } from '../../design/toast.tsx';
import { Wallet } from '../../design/wallet.tsx';
import { useChange } from '../../graph/use-change.ts';
import { useAsk } from '../../graph/use-live-query.ts';
import { useSearch } from '../../search.ts';
import { may } from '../../session/may.ts';
import type { OrganizationProps } from './parts.ts';
import { PayoutDocument, type PayoutQuery, SetPayoutWalletDocument } from './settings.graphql.ts';

type Found = NonNullable<NonNullable<PayoutQuery['organization']>['payout']>;

/** Where the earnings of an organization go. */
export function Payout({ organization: { orgId, role } }: OrganizationProps) {
  const answer = useAsk(PayoutDocument, { org: orgId });
  const [dialog, setDialog] = useSearch('edit', '');
  const [removing, setRemoving] = useState(false);
  const maySet = may(role, 'org:payout:write');
  const wallet = answer.data?.organization?.payout?.defaultWallet ?? null;
  return (
    <Section
      title="Payout wallet"
      about="The wallet that the organization’s own earnings go to."
      actions={
        maySet && (
          <>
            {wallet !== null && (
              <Button small onPress={() => setRemoving(true)}>
                Remove
              </Button>
            )}
            <Button small onPress={() => setDialog('payout')}>
              {wallet === null ? 'Set wallet' : 'Change wallet'}
            </Button>
          </>
        )
      }
    >
      <Loaded answer={answer}>
        {({ organization }) =>
          organization?.payout != null && (
            <Facts
              facts={[
                [
                  'Wallet',
                  organization.payout.wallet === null ? (
                    <span key="none" className="quiet">
                      none
                    </span>
                  ) : (
                    <Wallet key="wallet" address={organization.payout.wallet} what="the payout wallet" />
                  ),
                ],
                ['Status', statusOf(organization.payout)],
              ]}
            />
          )
        }
      </Loaded>
      {dialog === 'payout' && maySet && (
        <SetWallet orgId={orgId} wallet={wallet} close={() => setDialog('', { replace: true })} />
      )}
      {removing && <RemoveWallet orgId={orgId} close={() => setRemoving(false)} />}
    </Section>
  );
}

function statusOf({ status, mode, activeWallets }: Found): string {
  if (mode === 'DEFAULT') return 'Set by an owner.';
  if (status === 'READY') return 'The only wallet among the members who handle money is used.';
  if (status === 'AMBIGUOUS') return `${activeWallets} members have a wallet. Set the one that is paid.`;
  return 'No wallet is known. Set one.';
}

interface WalletDialogProps {
  readonly orgId: string;
  readonly close: () => void;
}

function SetWallet({ orgId, wallet, close }: WalletDialogProps & { readonly wallet: string | null }) {
  const set = useChange(SetPayoutWalletDocument);
  return (
    <Modal title="Payout wallet" isOpen close={close} kind="alert">
      <Form
        label="Payout wallet"
        submit="Set wallet"
        cancel={close}
        error={set.error}
        labels={{ walletAddress: 'Wallet' }}
        send={async (values) => {
          const given = String(values.get('wallet')).trim();
          if ((await set.run({ org: orgId, walletAddress: given })) === undefined) return false;
          announce('The payout wallet is set.');
          close();
          return false;
        }}
      >
        <TextField
          label="Wallet"
          name="wallet"
          hint="An address: 0x and 40 hexadecimal digits. Check it: payments to a wrong address are lost."
          defaultValue={wallet ?? ''}
          isRequired
          autoFocus
          autoComplete="off"
        />
      </Form>
    </Modal>
  );
}

function RemoveWallet({ orgId, close }: WalletDialogProps) {
  const set = useChange(SetPayoutWalletDocument);
  return (
    <Confirm
      title="Remove the payout wallet?"
      isOpen
      close={close}
      act="Remove wallet"
      error={set.error}
      run={async () => {
        const done = await set.run({ org: orgId, walletAddress: null });
        if (done !== undefined) announce('The payout wallet is removed.');
        return done !== undefined;
      }}
    >
      Earnings then go to the only wallet of the members who handle money, if there is exactly one.
    </Confirm>
  );
}
