import { Share2, X } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../design/button.tsx';
import { Confirm } from '../../design/confirm.tsx';
import { Principal } from '../../design/principal.tsx';
import { Section } from '../../design/section.tsx';
import { State } from '../../design/status.tsx';
import { Table } from '../../design/table.tsx';
import { announce } from '../../design/toast.tsx';
import { When } from '../../design/when.tsx';
import { useChange } from '../../graph/use-change.ts';
import { capabilityNames } from './capabilities.ts';
import { End } from './ended.tsx';
import { type Grant, holderName, holds } from './holdings.ts';
import { RevokeGrantDocument } from './sharing.graphql.ts';

interface GrantsProps {
  readonly project: string;
  readonly grants: readonly Grant[];
  readonly mayChange: boolean;
}

/** Wallets that may do something on the project. */
export function Grants({ project, grants, mayChange }: GrantsProps) {
  const [revoking, setRevoking] = useState<Grant>();
  return (
    <Section title="People and agents" about="Each grant lets one wallet do one thing on this project.">
      <Table
        label="Grants"
        rows={grants}
        keyOf={({ grantId }) => grantId}
        columns={[
          { id: 'holder', name: 'Holder', grows: true, cell: (grant) => <Principal who={grant} copies /> },
          { id: 'may', name: 'May', cell: ({ capability }) => capabilityNames[capability] },
          { id: 'ends', name: 'Ends', cell: (grant) => <End of={grant} /> },
          { id: 'given', name: 'Given', cell: ({ createdAt }) => <When at={createdAt} /> },
          ...(mayChange
            ? [
                {
                  id: 'actions',
                  name: 'Actions',
                  isNameHidden: true,
                  align: 'end' as const,
                  cell: (grant: Grant) =>
                    holds(grant) && (
                      <Button small variant="quiet" icon={X} onPress={() => setRevoking(grant)}>
                        <span>
                          Revoke<span className="seen-by-readers"> the grant of {holderName(grant)}</span>
                        </span>
                      </Button>
                    ),
                },
              ]
            : []),
        ]}
        empty={
          <State icon={Share2} title="Not shared">
            Members of the organization use the project by their roles. Share it to let others in.
          </State>
        }
      />
      {revoking !== undefined && <Revoke project={project} grant={revoking} close={() => setRevoking(undefined)} />}
    </Section>
  );
}

interface RevokeProps {
  readonly project: string;
  readonly grant: Grant;
  readonly close: () => void;
}

function Revoke({ project, grant, close }: RevokeProps) {
  const revoke = useChange(RevokeGrantDocument);
  const name = holderName(grant);
  return (
    <Confirm
      title={`Revoke the grant of ${name}?`}
      isOpen
      close={close}
      act="Revoke grant"
      error={revoke.error}
      run={async () => {
        const done = await revoke.run({ project, grant: grant.grantId });
        if (done !== undefined) announce(`The grant of ${name} is revoked.`);
        return done !== undefined;
      }}
    >
      {name} can no longer {capabilityNames[grant.capability].toLowerCase()}. Delegates that narrow this grant end with
      it, and their tokens stop working at once.
    </Confirm>
  );
}
