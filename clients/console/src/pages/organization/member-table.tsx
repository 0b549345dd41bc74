import { EllipsisVertical, KeyRound, UserMinus } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { Badge, StateBadge } from '../../design/badge.tsx';
import { IconButton } from '../../design/button.tsx';
import { Select } from '../../design/field.tsx';
import { Menu } from '../../design/menu.tsx';
import type { MenuEntry } from '../../design/menu-entries.tsx';
import { Principal } from '../../design/principal.tsx';
import { Avatar } from '../../design/status.tsx';
import { Table } from '../../design/table.tsx';
import { When } from '../../design/when.tsx';
import type { Role } from '../../session/may.ts';
import { lettersOf } from '../organizations/named.tsx';
import { type Member, memberName } from './member-name.ts';
import { ChangeRole, RemoveMember, RevokeKey } from './member-questions.tsx';
import { roleName, roleOptions } from './roles.ts';

/** What is asked before it happens. */
type Question =
  | { readonly kind: 'role'; readonly member: Member; readonly role: Role }
  | { readonly kind: 'remove' | 'key'; readonly member: Member };

interface MemberTableProps {
  readonly org: string;
  readonly members: readonly Member[];
  /** The caller's own principal. */
  readonly own: string | undefined;
  readonly mayChange: boolean;
  readonly empty: ReactNode;
}

/** Members with their roles. Owners change roles and remove members; each is asked for first. */
export function MemberTable({ org, members, own, mayChange, empty }: MemberTableProps) {
  const [question, setQuestion] = useState<Question>();
  const close = () => setQuestion(undefined);
  const entriesOf = (member: Member): readonly MenuEntry[] => [
    ...(member.encryptionKey !== null && member.encryptionKey.state !== 'REVOKED'
      ? [
          {
            id: 'key',
            name: 'Revoke encryption key…',
            icon: KeyRound,
            act: () => setQuestion({ kind: 'key', member }),
          },
        ]
      : []),
    { id: 'remove', name: 'Remove…', icon: UserMinus, isBad: true, act: () => setQuestion({ kind: 'remove', member }) },
  ];
  return (
    <>
      <Table
        label="Members"
        rows={members}
        keyOf={({ principalId }) => principalId}
        columns={[
          {
            id: 'name',
            name: 'Member',
            wraps: true,
            cell: (member) => (
              <span className="member-name">
                <Avatar name={lettersOf(memberName(member))} />
                <Principal who={member} copies />
                {member.principalId === own && <Badge mood="accent">You</Badge>}
              </span>
            ),
          },
          {
            id: 'role',
            name: 'Role',
            cell: (member) =>
              mayChange ? (
                <div className="role-cell">
                  <Select
                    label={`Role of ${memberName(member)}`}
                    options={roleOptions}
                    value={member.role}
                    onChange={(role) =>
                      role !== member.role && setQuestion({ kind: 'role', member, role: role as Role })
                    }
                  />
                </div>
              ) : (
                roleName(member.role)
              ),
          },
          { id: 'status', name: 'Status', isExtra: true, cell: ({ status }) => <StateBadge value={status} /> },
          { id: 'joined', name: 'Joined', isExtra: true, cell: ({ joinedAt }) => <When at={joinedAt} /> },
          ...(mayChange
            ? [
                {
                  id: 'actions',
                  name: 'Actions',
                  isNameHidden: true,
                  align: 'end' as const,
                  cell: (member: Member) => (
                    <Menu label={`Actions on ${memberName(member)}`} groups={[{ entries: entriesOf(member) }]}>
                      <IconButton small icon={EllipsisVertical} label={`Actions on ${memberName(member)}`} />
                    </Menu>
                  ),
                },
              ]
            : []),
        ]}
        empty={empty}
      />
      {question?.kind === 'role' && <ChangeRole org={org} {...question} close={close} />}
      {question?.kind === 'remove' && (
        <RemoveMember org={org} member={question.member} isOwn={question.member.principalId === own} close={close} />
      )}
      {question?.kind === 'key' && <RevokeKey org={org} member={question.member} close={close} />}
    </>
  );
}
