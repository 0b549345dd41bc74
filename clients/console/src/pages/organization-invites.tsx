import { useState } from 'react';
import { useChange } from '../graph/use-change.ts';
import { useAsk } from '../graph/use-live-query.ts';
import { Card } from '../parts/card.tsx';
import { Empty } from '../parts/empty.tsx';
import { ErrorNote } from '../parts/error-note.tsx';
import { Field } from '../parts/field.tsx';
import { Form, textOf } from '../parts/form.tsx';
import { Loaded } from '../parts/loaded.tsx';
import { MorePages, usePages } from '../parts/more-pages.tsx';
import { Sure } from '../parts/sure.tsx';
import { Tag } from '../parts/tag.tsx';
import { When } from '../parts/when.tsx';
import { may } from '../session/may.ts';
import {
  InviteDocument,
  InvitesDocument,
  type InvitesQuery,
  type Role,
  TakeBackInviteDocument,
} from './organization-invites.graphql.ts';
import type { Organization } from './organization-parts.ts';
import { RoleOptions } from './organization-roles.tsx';

type Invite = NonNullable<InvitesQuery['organization']>['invites']['edges'][number]['node'];

/** Pending invitations by mail. Owners can invite, and revoke an invitation. */
export function Invitations({ organization: { orgId, role: mine } }: { readonly organization: Organization }) {
  const pages = usePages();
  const answer = useAsk(InvitesDocument, { org: orgId, after: pages.after });
  const invite = useChange(InviteDocument);
  const [said, setSaid] = useState<string>();
  const mayInvite = may(mine, 'org:invites:write');
  return (
    <Card title="Invitations by mail">
      <Loaded answer={answer}>
        {({ organization }) =>
          organization !== null && (
            <>
              {organization.invites.edges.length === 0 ? (
                <Empty title="No open invitations">
                  An invited person joins by signing in with the invited mail address.
                </Empty>
              ) : (
                <ul className="list" aria-label="Invitations">
                  {organization.invites.edges.map(({ node }) => (
                    <InviteLine key={node.id} org={orgId} invite={node} mayTakeBack={mayInvite} />
                  ))}
                </ul>
              )}
              <MorePages pages={pages} info={organization.invites.pageInfo} list="invitations" />
            </>
          )
        }
      </Loaded>
      {mayInvite && (
        <Form
          label="New invitation"
          className="row"
          send={async (values) => {
            setSaid(undefined);
            const email = textOf(values, 'email');
            const answered = await invite.run({ org: orgId, email, role: textOf(values, 'role') as Role });
            // A person with an already verified address becomes a member at once.
            if (answered?.createInvite?.status === 'ACTIVE') setSaid(`${email} is a member.`);
            return answered !== undefined;
          }}
        >
          <Field label="Mail address to invite">
            <input name="email" type="email" required autoComplete="off" />
          </Field>
          <Field label="As">
            <select name="role" defaultValue="DEVELOPER">
              <RoleOptions />
            </select>
          </Field>
          <button type="submit" disabled={invite.busy}>
            Invite
          </button>
        </Form>
      )}
      {said !== undefined && (
        <p className="note good" role="status">
          {said}
        </p>
      )}
      <ErrorNote error={invite.error} />
    </Card>
  );
}

interface InviteLineProps {
  readonly org: string;
  readonly invite: Invite;
  readonly mayTakeBack: boolean;
}

function InviteLine({ org, invite: { principalId, role, invitation }, mayTakeBack }: InviteLineProps) {
  const takeBack = useChange(TakeBackInviteDocument);
  if (invitation === null) return null;
  const { email, expiresAt, mailedAt } = invitation;
  const expired = expiresAt !== null && Date.parse(expiresAt) <= Date.now();
  return (
    <li className="stack">
      <div className="line">
        <span className="grows">{email}</span>
        <Tag value={role} mood="plain" />
        <span className="small quiet">
          mailed <When at={mailedAt} />,{' '}
          {expiresAt === null ? (
            'does not expire'
          ) : (
            <>
              {expired ? 'expired' : 'expires'} <When at={expiresAt} />
            </>
          )}
        </span>
        {mayTakeBack && (
          <Sure
            really={`Really take back the invitation of ${email}`}
            busy={takeBack.busy}
            run={() => takeBack.run({ org, principal: principalId })}
          >
            Take back <span className="seen-by-readers">the invitation of {email}</span>
          </Sure>
        )}
      </div>
      <ErrorNote error={takeBack.error} />
    </li>
  );
}
