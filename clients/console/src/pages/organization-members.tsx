import { useState } from 'react';
import { useChange } from '../graph/use-change.ts';
import { Card } from '../parts/card.tsx';
import { Empty } from '../parts/empty.tsx';
import { ErrorNote } from '../parts/error-note.tsx';
import { Field } from '../parts/field.tsx';
import { Form, textOf } from '../parts/form.tsx';
import { MorePages } from '../parts/more-pages.tsx';
import { Tag } from '../parts/tag.tsx';
import { When } from '../parts/when.tsx';
import { may } from '../session/may.ts';
import { AddMemberDocument, RemoveMemberDocument, type Role, SetRoleDocument } from './organization.graphql.ts';
import type { ListedProps } from './organization-parts.ts';
import { RoleOptions } from './organization-roles.tsx';

/** Who belongs to an organization, and as what. */
export function Members({ organization: { orgId, members, role: mine }, pages }: ListedProps) {
  const add = useChange(AddMemberDocument);
  const setRole = useChange(SetRoleDocument);
  const remove = useChange(RemoveMemberDocument);
  const [removing, setRemoving] = useState<string>();
  const mayChange = may(mine, 'org:members:write');
  // Who was asked and has not come yet stands among the invitations.
  const joined = members.edges.filter(({ node }) => node.invitation === null);
  return (
    <Card title="Members">
      <ul className="list" aria-label="Members">
        {joined.map(({ node }) => {
          const name = node.displayName ?? node.wallet ?? node.principalId;
          return (
            <li key={node.id} className="line">
              <span className="grows">
                {name}
                {node.displayName !== null && node.wallet !== null && (
                  <span className="quiet small">
                    {' '}
                    <code>{node.wallet}</code>
                  </span>
                )}
              </span>
              <Tag value={node.status} />
              <When at={node.joinedAt} />
              {mayChange ? (
                <>
                  <select
                    aria-label={`Role of ${name}`}
                    value={node.role}
                    disabled={setRole.busy}
                    style={{ width: 'auto' }}
                    onChange={(event) =>
                      void setRole.run({ org: orgId, principal: node.principalId, role: event.target.value as Role })
                    }
                  >
                    <RoleOptions />
                  </select>
                  {removing === node.principalId ? (
                    <>
                      <button
                        type="button"
                        className="slim"
                        disabled={remove.busy}
                        onClick={() =>
                          void remove
                            .run({ org: orgId, principal: node.principalId })
                            .then(() => setRemoving(undefined))
                        }
                      >
                        Really remove {name}
                      </button>
                      <button type="button" className="plain slim" onClick={() => setRemoving(undefined)}>
                        Keep
                      </button>
                    </>
                  ) : (
                    <button type="button" className="plain slim" onClick={() => setRemoving(node.principalId)}>
                      Remove <span className="seen-by-readers">{name}</span>
                    </button>
                  )}
                </>
              ) : (
                <Tag value={node.role} mood="plain" />
              )}
            </li>
          );
        })}
      </ul>
      {joined.length === 0 && (
        <Empty title="Nobody on this page">Who has not come yet stands among the invitations.</Empty>
      )}
      <MorePages pages={pages} info={members.pageInfo} list="members" />
      <ErrorNote error={setRole.error ?? remove.error} />
      {mayChange && (
        <Form
          label="New member"
          className="row"
          send={async (values) => {
            const wallet = textOf(values, 'wallet');
            return (await add.run({ org: orgId, wallet, role: textOf(values, 'role') as Role })) !== undefined;
          }}
        >
          <Field label="Wallet of a new member">
            <input name="wallet" required pattern="0x[0-9a-fA-F]{40}" title="0x and 40 hexadecimal digits" />
          </Field>
          <Field label="Role">
            <select name="role" defaultValue="DEVELOPER">
              <RoleOptions />
            </select>
          </Field>
          <button type="submit" disabled={add.busy}>
            Add member
          </button>
        </Form>
      )}
      <ErrorNote error={add.error} />
    </Card>
  );
}
