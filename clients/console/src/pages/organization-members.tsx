import { useChange } from '../graph/use-change.ts';
import { Card } from '../parts/card.tsx';
import { Empty } from '../parts/empty.tsx';
import { ErrorNote } from '../parts/error-note.tsx';
import { Field } from '../parts/field.tsx';
import { Form, textOf } from '../parts/form.tsx';
import { MorePages } from '../parts/more-pages.tsx';
import { may } from '../session/may.ts';
import { AddMemberDocument, type Role } from './organization.graphql.ts';
import { MemberLine } from './organization-member.tsx';
import type { ListedProps } from './organization-parts.ts';
import { RoleOptions } from './organization-roles.tsx';

/** The members of an organization with their roles. */
export function Members({ organization: { orgId, members, role: mine }, pages }: ListedProps) {
  const add = useChange(AddMemberDocument);
  const mayChange = may(mine, 'org:members:write');
  // Members with a pending invitation appear among the invitations.
  const joined = members.edges.filter(({ node }) => node.invitation === null);
  return (
    <Card title="Members">
      <ul className="list" aria-label="Members">
        {joined.map(({ node }) => (
          <MemberLine key={node.id} org={orgId} member={node} mayChange={mayChange} />
        ))}
      </ul>
      {joined.length === 0 && (
        <Empty title="The page is empty">People who have not joined yet are listed under Invitations.</Empty>
      )}
      <MorePages pages={pages} info={members.pageInfo} list="members" />
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
