import { Ellipsis, UserX } from 'lucide-react';
import { useState } from 'react';
import { Badge } from '../../design/badge.tsx';
import { IconButton } from '../../design/button.tsx';
import { CopyButton } from '../../design/code.tsx';
import { ErrorNote } from '../../design/error-note.tsx';
import { Facts } from '../../design/facts.tsx';
import { Loaded } from '../../design/loaded.tsx';
import { Menu } from '../../design/menu.tsx';
import { Modal } from '../../design/modal.tsx';
import { State } from '../../design/status.tsx';
import { announce } from '../../design/toast.tsx';
import { When } from '../../design/when.tsx';
import { useChange } from '../../graph/use-change.ts';
import { useAsk } from '../../graph/use-live-query.ts';
import { ChangeAddress } from './change-address.tsx';
import { DeleteUser } from './delete-user.tsx';
import { SendLink } from './send-link.tsx';
import { waysOf } from './user-columns.tsx';
import { UserMetadata } from './user-metadata.tsx';
import { UserSessions } from './user-sessions.tsx';
import { UserWays } from './user-ways.tsx';
import {
  DemoteUserDocument,
  PromoteUserDocument,
  UpdateUserDocument,
  UserAccountDocument,
  type UserRowFragment,
} from './users.graphql.ts';

interface UserPanelProps {
  readonly projectId: string;
  readonly userId: string;
  readonly close: () => void;
}

/** What is known of one user, and what can be done with it. */
export function UserPanel({ projectId, userId, close }: UserPanelProps) {
  const answer = useAsk(UserAccountDocument, { project: projectId, user: userId });
  const [acting, act] = useState<'link' | 'address' | 'delete'>();
  const user = answer.data?.projectUser?.user;
  const isGone = answer.error?.code === 'RESOURCE_NOT_FOUND';
  if (user !== undefined && acting !== undefined) {
    const Acting = { link: SendLink, address: ChangeAddress, delete: DeleteUser }[acting];
    return <Acting projectId={projectId} user={user} close={(gone) => (gone === true ? close() : act(undefined))} />;
  }
  return (
    <Modal title={user?.displayName ?? user?.email ?? 'User'} isOpen close={close} kind="wide">
      {isGone ? (
        <State icon={UserX} title="This user is gone">
          It was deleted, or the address names a user of another project.
        </State>
      ) : (
        <Loaded answer={answer}>
          {({ projectUser: account }) =>
            account !== null && (
              <div className="user-panel">
                <UserHead projectId={projectId} user={account.user} act={act} />
                <UserSessions
                  projectId={projectId}
                  userId={userId}
                  sessions={account.sessions}
                  count={account.sessionCount}
                />
                <UserWays account={account} />
                <UserMetadata projectId={projectId} userId={userId} metadata={account.userMetadata} />
              </div>
            )
          }
        </Loaded>
      )}
    </Modal>
  );
}

interface UserHeadProps {
  readonly projectId: string;
  readonly user: UserRowFragment;
  readonly act: (what: 'link' | 'address' | 'delete') => void;
}

function UserHead({ projectId, user, act }: UserHeadProps) {
  const promote = useChange(PromoteUserDocument);
  const demote = useChange(DemoteUserDocument);
  const confirm = useChange(UpdateUserDocument);
  const busy = promote.busy || demote.busy || confirm.busy;
  const { email, userId, isAdmin } = user;
  const changeRole = async () => {
    const changed = await (isAdmin ? demote : promote).run({ project: projectId, email });
    if (changed !== undefined) announce(isAdmin ? `${email} is no admin any more.` : `${email} is an admin now.`);
  };
  const confirmAddress = async () => {
    if ((await confirm.run({ project: projectId, userId, emailConfirm: true })) !== undefined)
      announce(`The address ${email} is confirmed.`);
  };
  const entries = [
    { id: 'link', name: 'Send a link…', act: () => act('link') },
    { id: 'address', name: 'Change the address…', act: () => act('address') },
    ...(user.emailVerifiedAt === null
      ? [{ id: 'confirm', name: 'Confirm the address', act: () => void confirmAddress() }]
      : []),
    { id: 'role', name: isAdmin ? 'Take the admin role away' : 'Make an admin', act: () => void changeRole() },
  ];
  return (
    <div className="user-head">
      <Facts
        facts={[
          [
            'Address',
            <span key="address" className="user-badges">
              <bdi>{email}</bdi>
              {user.emailVerifiedAt === null ? (
                <Badge mood="warn">Not confirmed</Badge>
              ) : (
                <Badge mood="good">Confirmed</Badge>
              )}
            </span>,
          ],
          ['Role', isAdmin ? 'Admin of the project' : 'User'],
          ['Signs in by', waysOf(user).join(', ')],
          ['Last sign-in', <When key="seen" at={user.lastSignInAt} />],
          ['Created', <When key="created" at={user.createdAt} />],
          [
            'Id',
            <span key="id" className="user-id">
              <code>{userId}</code>
              <CopyButton what="id" text={userId} isIcon />
            </span>,
          ],
        ]}
      />
      <Menu
        label="What can be done with this user"
        groups={[{ entries }, { entries: [{ id: 'delete', name: 'Delete…', isBad: true, act: () => act('delete') }] }]}
      >
        <IconButton icon={Ellipsis} label="Actions" isPending={busy} />
      </Menu>
      <ErrorNote error={promote.error ?? demote.error ?? confirm.error} />
    </div>
  );
}
