import { BellRing, Mail } from 'lucide-react';
import { useState } from 'react';
import { StateBadge } from '../../design/badge.tsx';
import { Facts } from '../../design/facts.tsx';
import { TextField } from '../../design/field.tsx';
import { Form } from '../../design/form.tsx';
import { Section } from '../../design/section.tsx';
import { announce } from '../../design/toast.tsx';
import { Wallet } from '../../design/wallet.tsx';
import { When } from '../../design/when.tsx';
import { useChange } from '../../graph/use-change.ts';
import { Link } from '../../router.tsx';
import { may } from '../../session/may.ts';
import type { OrganizationProps } from './parts.ts';
import { Payout } from './payout.tsx';
import { roleName } from './roles.ts';
import { RenameOrganizationDocument } from './settings.graphql.ts';
import { Slug } from './slug.tsx';

/** The settings of an organization. */
export function Settings({ organization }: OrganizationProps) {
  const { orgId, displayName, role, lifecycleState, createdAt } = organization;
  return (
    <div className="tab-body">
      <Section title="General">
        {may(role, 'org:rename') ? (
          <Name orgId={orgId} name={displayName ?? ''} />
        ) : (
          <p>{displayName ?? <span className="quiet">The organization has no name yet.</span>}</p>
        )}
        <Facts
          facts={[
            ['Id', <Wallet key="id" address={orgId} what="the id of the organization" />],
            ['State', <StateBadge key="state" value={lifecycleState} />],
            ['Your role', role === null ? 'None' : roleName(role)],
            ['Created', <When key="at" at={createdAt} />],
          ]}
        />
      </Section>
      <Slug organization={organization} />
      {may(role, 'org:payout:read') && <Payout organization={organization} />}
      <Section title="Notices" about="Each owner and admin is written to at the address of their own account.">
        <p>
          <Link to="/you" className="button">
            <Mail className="icon" aria-hidden="true" />
            Your address for notices
          </Link>
        </p>
      </Section>
      <Section title="Escalations" about="People who are paged when an agent needs a human.">
        <p>
          <Link to={`/orgs/${orgId}/escalations`} className="button">
            <BellRing className="icon" aria-hidden="true" />
            Escalation contacts
          </Link>
        </p>
      </Section>
    </div>
  );
}

function Name({ orgId, name }: { readonly orgId: string; readonly name: string }) {
  const rename = useChange(RenameOrganizationDocument);
  // What is typed stays, whatever name others give meanwhile.
  const [typed, setTyped] = useState<string>();
  return (
    <Form
      label="Name of the organization"
      submit="Rename"
      variant="secondary"
      error={rename.error}
      labels={{ displayName: 'Name' }}
      send={async () => {
        const done = await rename.run({ org: orgId, displayName: (typed ?? name).trim() });
        if (done === undefined) return false;
        setTyped(undefined);
        announce('The organization is renamed.');
        return false;
      }}
    >
      <TextField label="Name" value={typed ?? name} onChange={setTyped} isRequired autoComplete="off" />
    </Form>
  );
}
