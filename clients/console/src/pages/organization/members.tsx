import { UsersRound } from 'lucide-react';
import { Loaded } from '../../design/loaded.tsx';
import { Pager, useExistingPage, usePages } from '../../design/pager.tsx';
import { Section } from '../../design/section.tsx';
import { State } from '../../design/status.tsx';
import { useAsk } from '../../graph/use-live-query.ts';
import { useSearch } from '../../search.ts';
import { may } from '../../session/may.ts';
import { AddMember } from './add-member.tsx';
import { Invitations } from './invitations.tsx';
import { MemberTable } from './member-table.tsx';
import { MembersDocument } from './members.graphql.ts';
import type { OrganizationProps } from './parts.ts';

/** The members of an organization with their roles, and the invitations that are open. */
export function Members({ organization: { orgId, role } }: OrganizationProps) {
  const pages = usePages();
  const answer = useAsk(MembersDocument, { org: orgId, after: pages.after });
  useExistingPage(pages, answer.error);
  const [created, setCreated] = useSearch('new', '');
  const mayAdd = may(role, 'org:members:write') || may(role, 'org:invites:write');
  return (
    <div className="tab-body">
      <Loaded answer={answer}>
        {({ organization, whoami }) =>
          organization !== null && (
            <>
              <MemberTable
                org={orgId}
                // An invited person is among the invitations until it joins.
                members={organization.members.edges.map(({ node }) => node).filter((one) => one.invitation === null)}
                own={whoami?.principal.principalId}
                mayChange={may(role, 'org:members:write')}
                empty={
                  <State icon={UsersRound} title="No member on this page">
                    People who have not joined yet are under Invitations.
                  </State>
                }
              />
              <Pager pages={pages} info={organization.members.pageInfo} list="members" />
            </>
          )
        }
      </Loaded>
      <Section title="Invitations" about="Invited people become members when they sign in with the invited address.">
        <Invitations org={orgId} mayChange={may(role, 'org:invites:write')} />
      </Section>
      {created === 'member' && mayAdd && <AddMember org={orgId} close={() => setCreated('', { replace: true })} />}
    </div>
  );
}
