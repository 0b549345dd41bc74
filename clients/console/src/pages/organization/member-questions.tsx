import { Confirm } from '../../design/confirm.tsx';
import { announce } from '../../design/toast.tsx';
import { useChange } from '../../graph/use-change.ts';
import type { Role } from '../../session/may.ts';
import { type Member, memberName } from './member-name.ts';
import { RemoveMemberDocument, RevokeMemberKeyDocument, SetRoleDocument } from './members.graphql.ts';
import { roleAbout, roleName } from './roles.ts';

interface QuestionProps {
  readonly org: string;
  readonly member: Member;
  readonly close: () => void;
}

/** Asks before a role changes: arrow keys pass through the roles of a list, and none on the way is to be given. */
export function ChangeRole({ org, member, role, close }: QuestionProps & { readonly role: Role }) {
  const set = useChange(SetRoleDocument);
  const name = memberName(member);
  return (
    <Confirm
      title={`Change the role of ${name}?`}
      isOpen
      close={close}
      act={`Make ${role.toLowerCase()}`}
      variant="primary"
      error={set.error}
      run={async () => {
        const done = await set.run({ org, principal: member.principalId, role });
        if (done !== undefined) announce(`${name} is now ${role.toLowerCase()}.`);
        return done !== undefined;
      }}
    >
      From {roleName(member.role)} to {roleName(role)}. {roleAbout(role)}
    </Confirm>
  );
}

/** Asks before a member is removed. */
export function RemoveMember({ org, member, isOwn, close }: QuestionProps & { readonly isOwn: boolean }) {
  const remove = useChange(RemoveMemberDocument);
  const name = memberName(member);
  return (
    <Confirm
      title={isOwn ? 'Leave the organization?' : `Remove ${name}?`}
      isOpen
      close={close}
      act={isOwn ? 'Leave' : 'Remove member'}
      error={remove.error}
      run={async () => {
        const done = await remove.run({ org, principal: member.principalId });
        if (done !== undefined) announce(isOwn ? 'You left the organization.' : `${name} is removed.`);
        return done !== undefined;
      }}
    >
      {isOwn ? 'You lose' : `${name} loses`} access to the organization and its projects at once. Grants on projects and
      invitations that {isOwn ? 'you' : 'the member'} made stay.
    </Confirm>
  );
}

/** Asks before the encryption key of a member is revoked. */
export function RevokeKey({ org, member, close }: QuestionProps) {
  const revoke = useChange(RevokeMemberKeyDocument);
  const name = memberName(member);
  return (
    <Confirm
      title={`Revoke the encryption key of ${name}?`}
      isOpen
      close={close}
      act="Revoke key"
      error={revoke.error}
      run={async () => {
        const done = await revoke.run({ org, principal: member.principalId });
        if (done !== undefined) announce(`The encryption key of ${name} is revoked.`);
        return done !== undefined;
      }}
    >
      The key writes to no vault any more. Another key can be enrolled, and a writer who stays has to rotate each vault.
    </Confirm>
  );
}
