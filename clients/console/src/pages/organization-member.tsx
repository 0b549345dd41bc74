import { useRef, useState } from 'react';
import { useChange } from '../graph/use-change.ts';
import { ErrorNote } from '../parts/error-note.tsx';
import { Sure } from '../parts/sure.tsx';
import { Tag } from '../parts/tag.tsx';
import { When } from '../parts/when.tsx';
import { RemoveMemberDocument, type Role, SetRoleDocument } from './organization.graphql.ts';
import type { Organization } from './organization-parts.ts';
import { RoleOptions } from './organization-roles.tsx';

type Member = Organization['members']['edges'][number]['node'];

interface MemberLineProps {
  readonly org: string;
  readonly member: Member;
  readonly mayChange: boolean;
}

/** A member with its role. Owners can change the role or remove the member. */
export function MemberLine({ org, member, mayChange }: MemberLineProps) {
  const { principalId: principal, displayName, wallet, role, status, joinedAt } = member;
  const setRole = useChange(SetRoleDocument);
  const remove = useChange(RemoveMemberDocument);
  const [chosen, setChosen] = useState<Role>();
  const [had, setHad] = useState(role);
  // The chosen role replaced another one, or is now the stored one.
  if (had !== role) {
    setHad(role);
    setChosen(undefined);
  }
  const list = useRef<HTMLSelectElement>(null);
  const name = displayName ?? wallet ?? principal;
  // Arrow keys pass through every option of the list. A button confirms the choice, so that no role on the way is
  // set.
  const wanted = chosen === undefined || chosen === role ? undefined : chosen;
  return (
    <li className="stack">
      <div className="line">
        <span className="grows">
          {name}
          {displayName !== null && wallet !== null && (
            <span className="quiet small">
              {' '}
              <code>{wallet}</code>
            </span>
          )}
        </span>
        <Tag value={status} />
        <When at={joinedAt} />
        {mayChange ? (
          <>
            <select
              ref={list}
              aria-label={`Role of ${name}`}
              value={wanted ?? role}
              disabled={setRole.busy}
              style={{ width: 'auto' }}
              onChange={(event) => setChosen(event.target.value as Role)}
            >
              <RoleOptions />
            </select>
            {wanted !== undefined && (
              <button
                type="button"
                className="slim"
                disabled={setRole.busy}
                onClick={() => void setRole.run({ org, principal, role: wanted }).then(() => list.current?.focus())}
              >
                Make {wanted.toLowerCase()} <span className="seen-by-readers">of {name}</span>
              </button>
            )}
            <Sure really={`Really remove ${name}`} busy={remove.busy} run={() => remove.run({ org, principal })}>
              Remove <span className="seen-by-readers">{name}</span>
            </Sure>
          </>
        ) : (
          <Tag value={role} mood="plain" />
        )}
      </div>
      <ErrorNote error={setRole.error ?? remove.error} />
    </li>
  );
}
