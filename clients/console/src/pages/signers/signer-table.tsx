import { ArrowUpRight, Signature, Trash2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { dollars } from '../../design/amounts.ts';
import { StateBadge } from '../../design/badge.tsx';
import { Button } from '../../design/button.tsx';
import { CopyButton } from '../../design/code.tsx';
import { State } from '../../design/status.tsx';
import { Table } from '../../design/table.tsx';
import { When } from '../../design/when.tsx';
import { chainNames, ether, shortAddress } from './ether.ts';
import type { SignerRowFragment } from './signers.graphql.ts';

interface SignerTableProps {
  readonly signers: readonly SignerRowFragment[];
  readonly mayWrite: boolean;
  readonly linkOf: (signer: SignerRowFragment) => string;
  readonly drain: (id: string) => void;
  readonly remove: (id: string) => void;
  /** What makes the first one. */
  readonly first: ReactNode;
}

/** The signers of a project, with what they hold as it was read last. */
export function SignerTable({ signers, mayWrite, linkOf, drain, remove, first }: SignerTableProps) {
  return (
    <Table
      label="Signers"
      rows={signers}
      keyOf={({ signerId }) => signerId}
      linkOf={linkOf}
      columns={[
        { id: 'address', name: 'Address', grows: true, cell: ({ address }) => <code>{shortAddress(address)}</code> },
        {
          id: 'copy',
          name: 'Copy',
          isNameHidden: true,
          cell: ({ address }) => <CopyButton what="the address" text={address} />,
        },
        { id: 'chain', name: 'Chain', cell: ({ chain }) => chainNames[chain] ?? chain },
        { id: 'status', name: 'Status', cell: ({ status }) => <StateBadge value={status} /> },
        {
          id: 'balance',
          name: 'Balance',
          align: 'end',
          cell: ({ balanceWei, balanceUsdMicros: micros }) =>
            balanceWei !== null && (
              <>
                {ether(balanceWei)}
                {micros !== null && <span className="quiet small"> {dollars(micros)}</span>}
              </>
            ),
        },
        { id: 'made', name: 'Made', isExtra: true, cell: ({ createdAt }) => <When at={createdAt} /> },
        ...(mayWrite
          ? [
              {
                id: 'actions',
                name: 'Actions',
                isNameHidden: true,
                align: 'end' as const,
                cell: ({ signerId, address, status }: SignerRowFragment) =>
                  status !== 'DELETED' && (
                    <>
                      <Button small variant="quiet" icon={ArrowUpRight} onPress={() => drain(signerId)}>
                        <span>
                          Drain<span className="seen-by-readers"> {shortAddress(address)}</span>
                        </span>
                      </Button>
                      <Button small variant="quiet" icon={Trash2} onPress={() => remove(signerId)}>
                        <span>
                          Delete<span className="seen-by-readers"> {shortAddress(address)}</span>
                        </span>
                      </Button>
                    </>
                  ),
              },
            ]
          : []),
      ]}
      empty={
        <State icon={Signature} title="No signers yet">
          A signer is an account on Base that the project signs with. Its key never leaves the gateway.
          {first}
        </State>
      }
    />
  );
}
