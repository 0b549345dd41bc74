import { RotateCw, X } from 'lucide-react';
import { useState } from 'react';
import { Badge } from '../../design/badge.tsx';
import { Button } from '../../design/button.tsx';
import { Confirm } from '../../design/confirm.tsx';
import { ErrorNote } from '../../design/error-note.tsx';
import { Loaded } from '../../design/loaded.tsx';
import { Pager, useExistingPage, usePages } from '../../design/pager.tsx';
import { Table } from '../../design/table.tsx';
import { announce } from '../../design/toast.tsx';
import { When } from '../../design/when.tsx';
import { useChange } from '../../graph/use-change.ts';
import { useAsk } from '../../graph/use-live-query.ts';
import { InviteDocument, InvitesDocument, type InvitesQuery, RevokeInviteDocument } from './members.graphql.ts';
import { roleName } from './roles.ts';

type Node = NonNullable<InvitesQuery['organization']>['invites']['edges'][number]['node'];
type Invite = Node & { readonly invitation: NonNullable<Node['invitation']> };

interface InvitationsProps {
  readonly org: string;
  readonly mayChange: boolean;
}

/** Invitations that have not been taken up, expired ones included. */
export function Invitations({ org, mayChange }: InvitationsProps) {
  const pages = usePages();
  const answer = useAsk(InvitesDocument, { org, after: pages.after });
  useExistingPage(pages, answer.error);
  const [revoking, setRevoking] = useState<Invite>();
  return (
    <>
      <Loaded answer={answer}>
        {({ organization }) =>
          organization !== null && (
            <>
              <Table
                label="Invitations"
                rows={organization.invites.edges
                  .map(({ node }) => node)
                  .filter((one): one is Invite => one.invitation !== null)}
                keyOf={({ principalId }) => principalId}
                columns={[
                  { id: 'email', name: 'Mail address', grows: true, cell: ({ invitation }) => invitation.email },
                  { id: 'role', name: 'Role', cell: ({ role }) => roleName(role) },
                  { id: 'sent', name: 'Sent', cell: ({ invitation }) => <When at={invitation.mailedAt} /> },
                  { id: 'expires', name: 'Expires', cell: ({ invitation }) => <Expiry at={invitation.expiresAt} /> },
                  ...(mayChange
                    ? [
                        {
                          id: 'actions',
                          name: 'Actions',
                          isNameHidden: true,
                          align: 'end' as const,
                          cell: (invite: Invite) => (
                            <Actions org={org} invite={invite} revoke={() => setRevoking(invite)} />
                          ),
                        },
                      ]
                    : []),
                ]}
                empty={<p className="quiet">No open invitations.</p>}
              />
              <Pager pages={pages} info={organization.invites.pageInfo} list="invitations" />
            </>
          )
        }
      </Loaded>
      {revoking !== undefined && <Revoke org={org} invite={revoking} close={() => setRevoking(undefined)} />}
    </>
  );
}

function Expiry({ at }: { readonly at: string | null }) {
  if (at === null) return <span className="small quiet">never</span>;
  return Date.parse(at) <= Date.now() ? <Badge mood="warn">Expired</Badge> : <When at={at} />;
}

interface ActionsProps {
  readonly org: string;
  readonly invite: Invite;
  readonly revoke: () => void;
}

function Actions({ org, invite: { role, invitation }, revoke }: ActionsProps) {
  const again = useChange(InviteDocument);
  const { email } = invitation;
  const resend = async () => {
    if ((await again.run({ org, email, role })) !== undefined)
      announce(`${email} is invited again.`, 'A mail is sent at most every five minutes.');
  };
  return (
    <span className="invitation-actions">
      <Button small variant="quiet" icon={RotateCw} isPending={again.busy} onPress={() => void resend()}>
        <span>
          Renew<span className="seen-by-readers"> the invitation of {email}</span>
        </span>
      </Button>
      <Button small variant="quiet" icon={X} onPress={revoke}>
        <span>
          Revoke<span className="seen-by-readers"> the invitation of {email}</span>
        </span>
      </Button>
      <ErrorNote error={again.error} />
    </span>
  );
}

interface RevokeProps {
  readonly org: string;
  readonly invite: Invite;
  readonly close: () => void;
}

function Revoke({ org, invite: { principalId, invitation }, close }: RevokeProps) {
  const revoke = useChange(RevokeInviteDocument);
  return (
    <Confirm
      title={`Revoke the invitation of ${invitation.email}?`}
      isOpen
      close={close}
      act="Revoke invitation"
      error={revoke.error}
      run={async () => {
        const done = await revoke.run({ org, principal: principalId });
        if (done !== undefined) announce(`The invitation of ${invitation.email} is revoked.`);
        return done !== undefined;
      }}
    >
      The link in the mail no longer makes a member. The address can be invited again.
    </Confirm>
  );
}
